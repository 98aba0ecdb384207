import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PAGE_DEFAULT_ITEMS, PAGE_MAX_BYTES } from '../contract/limits.ts';
import type { Call } from './endpoint.ts';

/** The characters that one turn of the event loop makes and sends. */
const CHUNK_CHARS = 64 * 1024;
/** Larger pages are streamed, without an ETag. */
const WHOLE_MAX_BYTES = 256 * 1024;

interface LargeRows<Row> {
  /** The rows have one more than the page, if there are more. */
  rows: Iterable<Row> | AsyncIterable<Row>;
  cursorAfter(last: Row): string;
  endCursor?: string | null;
}

/** A page of large rows as JSON, made in turns of the event loop. It ends early at the maximum bytes of a page, with at least one row. */
export async function jsonPage<Row>(
  { rows, cursorAfter, endCursor = null }: LargeRows<Row>,
  view: (row: Row) => object,
  { query, reserve, prepay }: Pick<Call<unknown, { limit?: number }>, 'query' | 'reserve' | 'prepay'>,
): Promise<Buffer | Readable> {
  const { limit = PAGE_DEFAULT_ITEMS } = query;
  const chunks: Buffer[] = [];
  let text = '{"data":[';
  let bytes = 0;
  let last: Row | undefined;
  let count = 0;
  let nextCursor = endCursor;
  for await (const row of rows) {
    const item = JSON.stringify(view(row));
    const itemBytes = Buffer.byteLength(item);
    if (last !== undefined && (count === limit || bytes + itemBytes > PAGE_MAX_BYTES)) {
      nextCursor = cursorAfter(last);
      break;
    }
    text += last === undefined ? item : `,${item}`;
    [last, count, bytes] = [row, count + 1, bytes + itemBytes];
    if (text.length < CHUNK_CHARS) continue;
    chunks.push(Buffer.from(text));
    text = '';
    await nextTurn();
  }
  chunks.push(Buffer.from(`${text}],"next_cursor":${JSON.stringify(nextCursor)}}`));
  if (bytes <= WHOLE_MAX_BYTES) return Buffer.concat(chunks);
  reserve(bytes);
  prepay(bytes);
  return Readable.from(chunks);
}
