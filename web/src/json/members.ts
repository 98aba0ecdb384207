import { DOCUMENT, isLines, namesFact, withoutGroups } from '../../../packages/documents/src/names/fact-names.ts';
import { snake } from '../../../packages/documents/src/names/snake.ts';
import { childrenOf } from './rows.ts';
import type { JsonTree } from './tree.ts';
import { unwrapped } from './wrapped.ts';

export interface Member {
  node: number;
  /** The names from the top down, in snake case. */
  path: string[];
  /** The path without names that surround the whole document or only group its values. */
  names: string[];
  value: string | undefined;
  /** The currency or unit in the attributes of the value. */
  unit: string | undefined;
  owner: number;
}

export interface Document {
  /** The name of the one object around the whole document, such as `invoice`. */
  kind: string | undefined;
  members: Member[];
}

const MEMBERS_READ_MAX = 200;
const MEMBERS_MAX = 1_500;
const LEVELS_MAX = 6;
const VALUE_CHARS_MAX = 60;
const WHOLE = new RegExp(`^(${DOCUMENT})$`);

/** The members of the outermost object and of its objects. Entries of lists belong to the lists, not to the document. */
export function documentIn(tree: JsonTree): Document {
  const members: Member[] = [];
  const whole = wholeOf(tree);
  const kind = whole && snake(tree.key(whole.key) ?? '');
  const read = (object: number, above: string[], isInWhole: boolean) => {
    for (const child of childrenOf(tree, object).slice(0, MEMBERS_READ_MAX)) {
      if (members.length >= MEMBERS_MAX) return;
      const path = [...above, snake(tree.key(child) ?? '')];
      const { node, unit } = unwrapped(tree, child);
      // UBL writes an object as an array of one. Elsewhere it is a list with one entry.
      if (tree.kind(child) === 'array' && !whole?.isUbl) continue;
      if (tree.kind(node) === 'array' || isLines(path.at(-1) ?? '')) continue;
      const names = withoutGroups(isInWhole ? path.slice(1) : path);
      if (tree.kind(node) === 'object') {
        const isWhole = node === whole?.node;
        if (!isWhole) members.push({ node, path, names, value: undefined, unit, owner: object });
        if (path.length < LEVELS_MAX) read(node, path, isWhole || isInWhole);
      } else if (tree.length(node) <= VALUE_CHARS_MAX) members.push({ node, path, names, value: tree.value(node), unit, owner: object });
    }
  };
  read(0, [], false);
  return { kind: kind !== undefined && /^(document|data|payload|body)$/.test(kind) ? undefined : kind, members };
}

/** Beside `"payable": 2380`, an order is another document, or a part of one. Beside `"version": "2.1"` it is the whole. */
export function wholeOf(tree: JsonTree): { key: number; node: number; isUbl: boolean } | undefined {
  const children = childrenOf(tree, 0);
  const [key, ...others] = children.filter((child) => tree.isContainer(child));
  if (key === undefined || others.length > 0) return undefined;
  if (children.some((child) => child !== key && namesFact(snake(tree.key(child) ?? '')))) return undefined;
  const { node } = unwrapped(tree, key);
  if (tree.kind(node) !== 'object') return undefined;
  const isUbl = childrenOf(tree, node).some((child) => /^(cbc:)?(IssueDate|UBLVersionID|CustomizationID)$/.test(tree.key(child) ?? ''));
  if (!isUbl && (tree.kind(key) === 'array' || !WHOLE.test(snake(tree.key(key) ?? '')))) return undefined;
  return { key, node, isUbl };
}
