import { Readable } from 'node:stream';
import type { StoredMessage } from './envelope.ts';
import { type EnvelopeServices, envelopeOf, summaryOf } from './envelopes.ts';
import { INLINE_MAX_BYTES, type ListedEntry, type ListedMessage, messagesOf } from './list-store.ts';
import type { MessagePage } from './read-messages.ts';
import { allWithFiles } from './with-files.ts';

/** Characters passed to the connection at a time. */
const CHUNK_CHARS = 64 * 1024;
/** The records, and the text made of them. */
const COPIES_HELD = 2;
/** Smaller responses fit into the buffers of a connection. */
const RESERVED_FROM_BYTES = 32 * 1024;

/** The request that gets the page. */
interface Reader {
  request: { method: string };
  /** Counts bytes of the response as held until it is sent; refuses when the process holds too many already. */
  reserve(bytes: number): void;
}

/**
 * A page as JSON, between `before` and `after`. Small messages, which most are, make a text; otherwise it is a stream that reads the
 * next few messages only once the client has read those before.
 */
export async function pageBody(
  services: EnvelopeServices,
  page: MessagePage,
  { request, reserve }: Reader,
  [before, after] = ['{', '}'],
): Promise<string | Readable> {
  const opening = `${before}"data":[`;
  const closing = `],"next_cursor":${JSON.stringify(page.nextCursor)}${after}`;
  if (page.entries.every(({ message }) => message !== undefined)) {
    const messages = await load(services, page, page.entries);
    const envelopes = await Promise.all(messages.map((message) => render(services, page, message)));
    const text = `${opening}${envelopes.join(',')}${closing}`;
    reserveLarge(reserve, text);
    return text;
  }
  // HEAD reads no messages.
  if (request.method === 'HEAD') return Readable.from([]);
  const batches = batchesOf(page.entries);
  reserve(COPIES_HELD * Math.max(...batches.map(bytesOf)));
  // A high water mark of 0: nothing is read ahead while the client does not read.
  const { readerId, detail } = page;
  return Readable.from(chunksOf(services, { readerId, detail }, batches, opening, closing), { highWaterMark: 0 });
}

/** Reserves the bytes of a large text, which is held until the client has read it. */
export function reserveLarge(reserve: Reader['reserve'], text: string): void {
  if (text.length > RESERVED_FROM_BYTES) reserve(text.length);
}

/** First the messages that were read with the list, then batches that are small together, of at least one. */
function batchesOf(entries: readonly ListedEntry[]): ListedEntry[][] {
  const batches: ListedEntry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const batch = batches.at(-1);
    const isOfSameKind = (batch?.[0]?.message === undefined) === (entry.message === undefined);
    if (batch && isOfSameKind && bytes + entry.bytes <= INLINE_MAX_BYTES) batch.push(entry);
    else {
      batches.push([entry]);
      bytes = 0;
    }
    bytes += entry.bytes;
  }
  return batches;
}

/** The messages of a page one by one, a few of which are in memory at a time. */
export async function* messagesIn(services: EnvelopeServices, page: MessagePage): AsyncGenerator<Loaded> {
  for (const batch of batchesOf(page.entries)) yield* await load(services, page, batch);
}

function bytesOf(entries: readonly ListedEntry[]): number {
  return entries.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function* chunksOf(
  services: EnvelopeServices,
  reading: Reading,
  batches: ListedEntry[][],
  opening: string,
  closing: string,
): AsyncGenerator<Buffer> {
  let text = opening;
  let separator = '';
  for (let batch = batches.shift(); batch; batch = batches.shift()) {
    for (const message of await load(services, reading, batch)) {
      text += separator + (await render(services, reading, message));
      separator = ',';
      if (text.length < CHUNK_CHARS) continue;
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(text + closing);
}

/** The reader of the list, and the detail of its messages. */
type Reading = Pick<MessagePage, 'readerId' | 'detail'>;
export type Loaded = ListedMessage & StoredMessage;

async function load(services: EnvelopeServices, { readerId, detail }: Reading, entries: readonly ListedEntry[]): Promise<Loaded[]> {
  const inline = entries.flatMap(({ message }) => message ?? []);
  const messages = inline.length === entries.length ? inline : await messagesOf(services.database.of(readerId), entries, detail);
  return allWithFiles(services, readerId, messages);
}

function render(services: EnvelopeServices, { detail }: Reading, message: Loaded): Promise<string> {
  return detail === 'summary' ? summaryOf(message, services) : envelopeOf(message, services);
}
