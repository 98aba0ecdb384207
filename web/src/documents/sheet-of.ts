import { layoutFor } from '../../../packages/documents/src/index.ts';
import type { JsonTree } from '../json/tree.ts';
import { coverage, describeBySchema, sheetByLayout } from './by-layout.ts';
import { guessedSheet } from './guess.ts';
import type { KnownType } from './known-type.ts';
import { Reader } from './reader.ts';
import type { Sheet } from './sheet.ts';
import { ublSheet } from './ubl.ts';
import { labelOf } from './words.ts';

/** Below this part of its outermost values, a document is none of its type. */
const COVERAGE_MIN = 0.5;
const TITLE_CHARS_MAX = 80;

/** The sheet of any JSON: by its type, as UBL, or by guesses. */
export function sheetOf(
  tree: JsonTree,
  type: string | null,
  known: Pick<KnownType, 'title' | 'schema' | 'layout'> | undefined,
): { reader: Reader; sheet: Sheet; isTyped: boolean } {
  const ubl = ublSheet(tree);
  if (ubl) return { ...ubl, isTyped: false };
  const reader = new Reader(tree);
  if (known) {
    const layout = layoutFor(known.schema, known.layout);
    const title = known.title.trim().slice(0, TITLE_CHARS_MAX) || 'Document';
    if (coverage(reader, layout) >= COVERAGE_MIN)
      return { reader, sheet: sheetByLayout(reader, title, layout, describeBySchema(known.schema)), isTyped: true };
  }
  return { reader, sheet: guessedSheet(reader, type === null ? 'Document' : labelOf(type.slice(0, TITLE_CHARS_MAX))), isTyped: false };
}
