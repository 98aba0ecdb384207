import { Readable } from 'node:stream';
import { PAGE_MAX_BYTES } from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import { Breaks } from '../../platform/fairness/breaks.ts';
import { AccessEnded, hasAccessEnded } from '../access/access.ts';
import type { StoredMessage } from './envelope.ts';
import { type EnvelopeServices, envelopeOf, summaryOf } from './envelopes.ts';
import { INLINE_MAX_BYTES, type ListedEntry, type ListedMessage, messagesOf } from './list-store.ts';
import type { MessagePage } from './read-messages.ts';
import { allWithFiles } from './with-files.ts';

const CHUNK_CHARS = 64 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** A slow client can take an hour for a page, in which its access can end. */
const ACCESS_CHECKED_EVERY_MS = 10_000;
/** A response holds the records, and the text made of them. */
const COPIES_HELD = 2;
/** Smaller responses fit into the buffers of a connection. */
const RESERVED_FROM_BYTES = 32 * 1024;

export interface Reader {
  caller: Caller;
  request: { method: string };
  /** Counts bytes of the response as held until it is sent. Refuses when the process already holds too many. */
  reserve(bytes: number): void;
  prepay(bytes: number): void;
}

type Item<Entry> = (envelope: string, entry: Entry, message: Loaded, place: number) => string;

/** The text around the messages of a list, and around each of them. */
interface Frame<Entry> {
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
 * messages only once the client has read those before, and that ends when the access of the caller does.
 */
export async function listBody<Entry extends ListedEntry>(
  services: EnvelopeServices,
  list: Reading & Pick<MessagePage<Entry>, 'entries'>,
  { caller, request, reserve, prepay }: Reader,
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
  return Readable.from(chunksOf(items, frame, accessCheck(services, caller)), { highWaterMark: 0 });
}

/** Returns a function that long responses call before each chunk. It throws once the access of the caller has ended. */
export function accessCheck({ database }: Pick<EnvelopeServices, 'database'>, caller: Caller): () => Promise<void> {
  let checkedAt = Date.now();
  return async () => {
    if (Date.now() - checkedAt < ACCESS_CHECKED_EVERY_MS) return;
    if (await hasAccessEnded(database, caller)) throw new AccessEnded('the access of the caller has ended');
    checkedAt = Date.now();
  };
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
      const envelope = await (reading.detail === 'summary'
        ? summaryOf(message, services, reading.readerId)
        : envelopeOf(message, services, reading.readerId));
      if (item) await breaks.takeIfDue();
      yield { text: item ? item(envelope, entry, message, place) : envelope, entry };
      place++;
    }
  }
}

async function* chunksOf<Entry>(
  items: AsyncIterable<Rendered<Entry>>,
  { opening, closing, maxBytes }: Frame<Entry>,
  checkAccess: () => Promise<void>,
): AsyncGenerator<Buffer> {
  const breaks = new Breaks();
  let text = opening;
  let bytes = 0;
  let last: Entry | undefined;
  for await (const item of items) {
    // Entries have estimated sizes: escapes can make an envelope larger.
    bytes += Buffer.byteLength(item.text);
    if (last && bytes > maxBytes) {
      await checkAccess();
      return yield Buffer.from(text + closing(last));
    }
    text += last ? `,${item.text}` : item.text;
    last = item.entry;
    if (text.length < CHUNK_CHARS) continue;
    await breaks.takeIfDue();
    for (const chunk of slicesOf(Buffer.from(text))) {
      await checkAccess();
      yield chunk;
    }
    text = '';
  }
  await checkAccess();
  yield Buffer.from(text + closing(undefined));
}

/** A message can be large: its bytes are handed over in slices, so that a slow client does not get all of them at once. */
function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

type Reading = Pick<MessagePage, 'readerId' | 'detail'>;
export type Loaded = ListedMessage & StoredMessage;

async function load(services: EnvelopeServices, { readerId, detail }: Reading, entries: readonly ListedEntry[]): Promise<Loaded[]> {
  const inline = entries.flatMap(({ message }) => message ?? []);
  const messages = inline.length === entries.length ? inline : await messagesOf(services.database.of(readerId), entries, detail);
  return allWithFiles(services, readerId, messages);
}
