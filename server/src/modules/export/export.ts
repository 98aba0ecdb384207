import { Readable } from 'node:stream';
import type { Spend } from '../../contract/cost.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { EXPORTS_PER_BUSINESS_MAX } from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import { Breaks } from '../../platform/fairness/breaks.ts';
import { KeyedSlots } from '../../platform/fairness/keyed-slots.ts';
import { AccessEnded, hasAccessEnded } from '../access/access.ts';
import { accessCheck, type Loaded, messagesIn } from '../messages/page-body.ts';
import { type ListQuery, listMessages, type ReadServices } from '../messages/read-messages.ts';
import { listThreads, type ThreadServices, threadsIn } from '../threads/list-threads.ts';
import type { ThreadQuery } from '../threads/thread-filters.ts';
import { messagesAsCsv, messagesAsLines, type RowFormat, THREADS_AS_CSV, threadsAsLines } from './rows.ts';

const PAGE_ITEMS = 100;
const CHUNK_CHARS = 64 * 1024;

interface ExportQuery {
  list?: 'inbox' | 'outbox' | 'threads';
  format?: 'ndjson' | 'csv';
  include?: 'summary';
  filters: Omit<ListQuery, 'limit' | 'cursor' | 'include'> & ThreadQuery;
}

export type ExportServices = ThreadServices & ReadServices;

const FILTERS = {
  inbox: ['since', 'until', 'from', 'to', 'type', 'validation', 'thread'],
  outbox: ['since', 'until', 'from', 'type', 'validation', 'thread'],
  threads: ['box', 'status', 'assignee', 'label', 'unread', 'type', 'with', 'segment', 'failed_schema', 'since', 'until'],
} as const;

interface Payment {
  spend: Spend;
  untilAffordable(): Promise<void>;
}

interface Admission extends Payment {
  checkAccess(): Promise<void>;
}

interface Page<Item> {
  items: AsyncIterable<Item> | Iterable<Item>;
  nextCursor: string | null;
}

/**
 * Streams whole lists. A page is read only once the client has read the one before. Each page costs a request, or more by its bytes. Before each
 * page, and every 10 seconds within one, the export ends if the access of the caller has ended.
 */
export class Exports {
  readonly #slots = new KeyedSlots(EXPORTS_PER_BUSINESS_MAX, 'exports of a business');

  /** Reads the first page before it returns, so that filters are refused with a status. */
  async open(services: ExportServices, caller: Caller, query: ExportQuery, payment: Payment): Promise<Readable> {
    const { list = 'inbox', format = 'ndjson', include, filters } = query;
    refuseOthers(list, filters);
    // Reading the outbox needs the same scope.
    if (list === 'outbox' && caller.scope !== 'read_write') throw new Refusal('forbidden');
    const release = this.#slots.take(caller.business.id.toString());
    const admitted: Admission = {
      spend: payment.spend,
      checkAccess: accessCheck(services, caller),
      untilAffordable: async () => {
        await payment.untilAffordable();
        if (await hasAccessEnded(services.database, caller)) throw new AccessEnded('the access of the caller has ended');
      },
    };
    try {
      const isSummary = include === 'summary';
      if (list === 'threads') {
        const read = (cursor: string | undefined) =>
          listThreads(services, caller, { ...filters, limit: PAGE_ITEMS, ...(cursor && { cursor }) }, payment.spend);
        const asCsv = async (cursor?: string) => itemsOf(await read(cursor), ({ entries }) => entries.map(({ thread }) => thread));
        const asLines = async (cursor?: string) => itemsOf(await read(cursor), (page) => threadsIn(services, page));
        if (format === 'csv') return await stream(asCsv, THREADS_AS_CSV, admitted, release);
        return await stream(asLines, threadsAsLines(services, caller.business.id), admitted, release);
      }
      const read = async (cursor: string | undefined): Promise<Page<Loaded>> => {
        const wanted = { ...filters, limit: PAGE_ITEMS, ...(include && { include }), ...(cursor && { cursor }) };
        const page = await listMessages(services, caller.business, list === 'inbox' ? 'in' : 'out', wanted, payment.spend);
        return { items: messagesIn(services, page), nextCursor: page.nextCursor };
      };
      return await stream(
        read,
        format === 'csv' ? messagesAsCsv(isSummary) : messagesAsLines(services, isSummary, caller.business.id),
        admitted,
        release,
      );
    } catch (error) {
      release();
      throw error;
    }
  }
}

function itemsOf<P extends { nextCursor: string | null }, Item>(page: P, items: (page: P) => Page<Item>['items']): Page<Item> {
  return { items: items(page), nextCursor: page.nextCursor };
}

function refuseOthers(list: keyof typeof FILTERS, filters: object): void {
  const known: readonly string[] = FILTERS[list];
  const others = Object.keys(filters).filter((name) => !known.includes(name));
  if (others.length > 0) throw invalid(others.map((name) => ({ path: `/${name}`, message: `is not a filter of ${list}` })));
}

type ReadPage<Item> = (cursor: string | undefined) => Promise<Page<Item>>;

async function stream<Item>(read: ReadPage<Item>, format: RowFormat<Item>, admission: Admission, release: () => void): Promise<Readable> {
  const first = await read(undefined);
  // With a high water mark of 0, nothing is read ahead while the client does not read.
  const readable = Readable.from(chunksOf(first, read, format, admission), { highWaterMark: 0, objectMode: false });
  // The slot is also released when the client goes away before the first chunk.
  readable.once('close', release);
  return readable;
}

async function* chunksOf<Item>(
  first: Page<Item>,
  read: ReadPage<Item>,
  format: RowFormat<Item>,
  { spend, checkAccess, untilAffordable }: Admission,
): AsyncGenerator<Buffer> {
  const breaks = new Breaks();
  let text = format.head;
  for (let page: Page<Item> | undefined = first; page; ) {
    for await (const item of page.items) {
      // Reading an item may have taken as long as writing it will.
      await breaks.takeIfDue();
      for (const part of await format.row(item)) {
        text += part;
        if (text.length < CHUNK_CHARS) continue;
        await breaks.takeIfDue();
        await checkAccess();
        yield Buffer.from(text);
        text = '';
      }
    }
    // Writing soon shows whether the client is still there.
    if (text !== '') yield Buffer.from(text);
    text = '';
    if (page.nextCursor === null) return;
    spend({ requests: 1 });
    // A response under way can't be refused, so the export waits.
    await untilAffordable();
    page = await read(page.nextCursor);
  }
}
