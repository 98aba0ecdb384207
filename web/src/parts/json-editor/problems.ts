import { JsonFault, parseJson, placeOf } from '../../json/parse.ts';
import type { JsonTree } from '../../json/tree.ts';

export interface Problem {
  message: string;
  path: string | undefined;
  from: number;
  to: number;
  line: number;
}

export type Read = { tree: JsonTree; problem?: undefined } | { tree?: undefined; problem: Problem };

export function readJson(text: string): Read {
  const read = parseJson(text);
  return read instanceof JsonFault ? { problem: problemAt(text, read.at, read.at + 1, read.message, undefined) } : { tree: read };
}

export function readSchema(text: string): Read {
  const read = readJson(text);
  if (!read.tree || read.tree.kind(0) === 'object' || /^(true|false)$/.test(read.tree.raw(0))) return read;
  const [from, to] = read.tree.span(0);
  return { problem: problemAt(text, from, to, 'A schema must be an object, true or false.', undefined) };
}

export function problemsIn(tree: JsonTree, errors: readonly { path: string; message: string }[]): Problem[] {
  return errors.map(({ path, message }) => {
    const node = tree.find(path);
    const [start, end] = tree.span(node);
    // Only the key or the first bracket of an object or array is marked.
    const [from, to] = tree.isContainer(node) ? (tree.keySpan(node) ?? [start, start + 1]) : [start, end];
    return problemAt(tree.text, from, to, message, path);
  });
}

function problemAt(text: string, from: number, to: number, message: string, path: string | undefined): Problem {
  const end = Math.min(to, text.length);
  // At the end of the text, the last character is marked.
  const start = Math.max(0, Math.min(from, end - 1));
  return { message, path, from: start, to: end, line: placeOf(text, from).line };
}
