import { Readable } from 'node:stream';
import { PAGE_MAX_BYTES } from '../../contract/limits.ts';
import { Breaks } from '../../platform/fairness/breaks.ts';
import type { StoredMessage } from './envelope.ts';
import { type EnvelopeServices, envelopeOf, summaryOf } from './envelopes.ts';
import { INLINE_MAX_BYTES, type ListedEntry, type ListedMessage, messagesOf } from './list-store.ts';
import type { MessagePage } from './read-messages.ts';
import { allWithFiles } from './with-files.ts';

const CHUNK_CHARS = 64 * 1024;
/** A response holds the records, and the text made of them. */
const COPIES_HELD = 2;
/** Smaller responses fit into the buffers of a connection. */
const RESERVED_FROM_BYTES = 32 * 1024;

export interface Reader {
  request: { method: string };
  /** Counts bytes of the response as held until it is sent. Refuses when the process already holds too many. */
  reserve(bytes: number): void;
  prepay(bytes: number): void;
}

type Item<Entry> = (envelope: string, entry: Entry, message: Loaded, place: number) => string;

/** The text around the messages of a list, and around each of them. */
export interface Frame<Entry> {
  opening: string;
  /** `cutAfter` is the entry after which the list ends because it would be too large. */
  closing(cutAfter: Entry | undefined): string;
  item?: Item<Entry> | undefined;
  maxBytes: number;
}

export function pageBody<Entry extends ListedEntry>(
  services: EnvelopeServices,
  page: MessagePage<Entry>,
  reader: Reader,
  { before = '{', after = '}', item }: { before?: string; after?: string; item?: Item<Entry> } = {},
): Promise<string | Readable> {
  const closing = (cutAfter: Entry | undefined) =>
    `],"next_cursor":${JSON.stringify(cutAfter ? page.cursorAfter(cutAfter) : page.nextCursor)}${after}`;
  return listBody(services, page, reader, { opening: `${before}"data":[`, closing, item, maxBytes: PAGE_MAX_BYTES });
}

/**
 * Returns messages as JSON, in a frame. Small messages, which most are, make a text. Otherwise it is a stream that reads the next few
 * messages only once the client has read those before.
 */
export async function listBody<Entry extends ListedEntry>(
  services: EnvelopeServices,
  list: Reading & Pick<MessagePage<Entry>, 'entries'>,
  { request, reserve, prepay }: Reader,
  frame: Frame<Entry>,
): Promise<string | Readable> {
  const batches = batchesOf(list.entries);
  const bytes = bytesOf(list.entries);
  const items = itemsOf(services, list, batches, frame);
  if (bytes <= INLINE_MAX_BYTES) {
    const texts: string[] = [];
    for await (const { text } of items) texts.push(text);
    const text = `${frame.opening}${texts.join(',')}${frame.closing(undefined)}`;
    reserveLarge(reserve, text);
    return text;
  }
  if (request.method === 'HEAD') return Readable.from([]);
  reserve(COPIES_HELD * Math.max(...batches.map(bytesOf)));
  prepay(bytes);
  // With a high water mark of 0, nothing is read ahead while the client does not read.
  return Readable.from(chunksOf(items, frame), { highWaterMark: 0 });
}

export function reserveLarge(reserve: Reader['reserve'], text: string): void {
  if (text.length > RESERVED_FROM_BYTES) reserve(text.length);
}

/** First come the messages that were read with the list, then batches of at least one that are small together. */
function batchesOf<Entry extends ListedEntry>(entries: readonly Entry[]): Entry[][] {
  const batches: Entry[][] = [];
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

/** Yields the messages of a page. Only a few are in memory at a time. */
export async function* messagesIn(services: EnvelopeServices, page: Reading & Pick<MessagePage, 'entries'>): AsyncGenerator<Loaded> {
  for (const batch of batchesOf(page.entries)) yield* await load(services, page, batch);
}

function bytesOf(entries: readonly ListedEntry[]): number {
  return entries.reduce((sum, { bytes }) => sum + bytes, 0);
}

interface Rendered<Entry> {
  text: string;
  entry: Entry;
}

/** Yields to other work between two messages. */
async function* itemsOf<Entry extends ListedEntry>(
  services: EnvelopeServices,
  reading: Reading,
  batches: readonly Entry[][],
  { item }: Frame<Entry>,
): AsyncGenerator<Rendered<Entry>> {
  const breaks = new Breaks();
  let place = 0;
  for (const batch of batches) {
    const entries = batch.values();
    for (const message of await load(services, reading, batch)) {
      const { value: entry } = entries.next();
      if (!entry) return;
      // Reading the message may have taken as long as writing it will.
      await breaks.takeIfDue();
      const envelope = await (reading.detail === 'summary' ? summaryOf(message, services) : envelopeOf(message, services));
      if (item) await breaks.takeIfDue();
      yield { text: item ? item(envelope, entry, message, place) : envelope, entry };
      place++;
    }
  }
}

async function* chunksOf<Entry>(
  items: AsyncIterable<Rendered<Entry>>,
  { opening, closing, maxBytes }: Frame<Entry>,
): AsyncGenerator<Buffer> {
  const breaks = new Breaks();
  let text = opening;
  let bytes = 0;
  let last: Entry | undefined;
  for await (const item of items) {
    // Entries have estimated sizes: escapes can make an envelope larger.
    bytes += Buffer.byteLength(item.text);
    if (last && bytes > maxBytes) return yield Buffer.from(text + closing(last));
    text += last ? `,${item.text}` : item.text;
    last = item.entry;
    if (text.length < CHUNK_CHARS) continue;
    await breaks.takeIfDue();
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text + closing(undefined));
}

type Reading = Pick<MessagePage, 'readerId' | 'detail'>;
export type Loaded = ListedMessage & StoredMessage;

async function load(services: EnvelopeServices, { readerId, detail }: Reading, entries: readonly ListedEntry[]): Promise<Loaded[]> {
  const inline = entries.flatMap(({ message }) => message ?? []);
  const messages = inline.length === entries.length ? inline : await messagesOf(services.database.of(readerId), entries, detail);
  return allWithFiles(services, readerId, messages);
}
