import { JsonFault, parseJson, placeOf } from '../../json/parse.ts';
import type { JsonTree } from '../../json/tree.ts';

/** A problem and its place in the text. */
export interface Problem {
  message: string;
  /** JSON Pointer; undefined where the text is not JSON. */
  path: string | undefined;
  from: number;
  to: number;
  line: number;
}

/** A parsed text, or why it can't be parsed. */
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

/** The errors of the API with their places in the text. */
export function problemsIn(tree: JsonTree, errors: readonly { path: string; message: string }[]): Problem[] {
  return errors.map(({ path, message }) => {
    const node = tree.find(path);
    const [start, end] = tree.span(node);
    // Of an object or array only the key or the first bracket is marked.
    const [from, to] = tree.isContainer(node) ? (tree.keySpan(node) ?? [start, start + 1]) : [start, end];
    return problemAt(tree.text, from, to, message, path);
  });
}

function problemAt(text: string, from: number, to: number, message: string, path: string | undefined): Problem {
  const end = Math.min(to, text.length);
  // At the end of the text, the character before is marked.
  const start = Math.max(0, Math.min(from, end - 1));
  return { message, path, from: start, to: end, line: placeOf(text, from).line };
}
