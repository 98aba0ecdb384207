import { number } from '../ui/format.ts';
import type { JsonTree } from './tree.ts';

const PREVIEW_CHARS = 140;
const VALUE_CHARS = 40;

export function previewOf(tree: JsonTree, node: number): string {
  const isObject = tree.kind(node) === 'object';
  const shown: string[] = [];
  let chars = 0;
  for (let child = node + 1; child < tree.after(node); child = tree.after(child)) {
    if (chars > PREVIEW_CHARS) {
      shown.push('…');
      break;
    }
    const key = isObject ? `${(tree.key(child) ?? '').slice(0, VALUE_CHARS)}: ` : '';
    shown.push(key + (isObject ? shortValue(tree, child) : element(tree, child)));
    chars += (shown.at(-1)?.length ?? 0) + 2;
  }
  return isObject ? `{ ${shown.join(', ')} }` : `[ ${shown.join(', ')} ]`;
}

/** The first member of an object often names it, so it is shown. */
function element(tree: JsonTree, node: number): string {
  if (tree.kind(node) !== 'object' || tree.children(node) === 0) return shortValue(tree, node);
  const first = node + 1;
  return `{ ${(tree.key(first) ?? '').slice(0, VALUE_CHARS)}: ${shortValue(tree, first)}${tree.children(node) > 1 ? ', …' : ''} }`;
}

function shortValue(tree: JsonTree, node: number): string {
  if (tree.kind(node) === 'object') return tree.children(node) === 0 ? '{}' : '{…}';
  if (tree.kind(node) === 'array') return tree.children(node) === 0 ? '[]' : `[${number(tree.children(node))}]`;
  return tree.length(node) > VALUE_CHARS ? `${tree.raw(node, VALUE_CHARS)}…` : tree.raw(node);
}
