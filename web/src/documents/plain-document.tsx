import type { JsonTree } from '../json/tree.ts';
import { Entries } from './entries.tsx';
import { Reader } from './reader.ts';
import { type Remark, ShownDocument } from './shown.ts';
import type { Entry } from './values.ts';
import { labelOf } from './words.ts';

const VALUES_MAX = 8;

/** A few values without a structure need none of the code that looks for one. */
export function isPlain(tree: JsonTree): boolean {
  if (tree.kind(0) !== 'object' || tree.size > VALUES_MAX + 1) return false;
  const reader = new Reader(tree);
  return reader.members(0).every(({ node }) => !tree.isContainer(node) || reader.isList(node));
}

export function PlainDocument({ tree, remarks }: { tree: JsonTree; remarks: ReadonlyMap<number, readonly Remark[]> }) {
  const reader = new Reader(tree);
  const entries = reader.members(0).map(({ name, node }): Entry => ({ node, label: labelOf(name) }));
  return (
    <figure aria-label="Document" className="@container rounded-xl border border-line bg-paper px-4 py-3">
      <ShownDocument value={{ reader, remarks, isPrinting: false }}>
        {entries.length === 0 ? <p className="text-soft">The JSON is empty.</p> : <Entries entries={entries} />}
      </ShownDocument>
    </figure>
  );
}
