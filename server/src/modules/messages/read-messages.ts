import type { Spend } from '../../contract/cost.ts';
import { type Cursors, pageOf } from '../../contract/cursors.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { formatId, parseId, senderByteOf } from '../../contract/ids.ts';
import { PAGE_DEFAULT_ITEMS, PAGE_MAX_BYTES } from '../../contract/limits.ts';
import { parseHandle, parseSegment } from '../../contract/names.ts';
import type { Business, ReceiptDetail } from '../../contract/parties.ts';
import { parseTime } from '../../contract/time.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { Files } from '../files/files.ts';
import { countHidden } from '../joined-history/joined-history.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import type { StoredMessage } from './envelope.ts';
import * as lists from './list-store.ts';
import * as store from './store.ts';
import { withFiles } from './with-files.ts';

export type { ListedEntry } from './list-store.ts';

export interface ReadServices {
  database: Database;
  parties: PartyDirectory;
  cursors: Cursors;
  files: Files;
}

export interface MessagePage<Entry extends lists.ListedEntry = lists.ListedEntry> {
  readerId: bigint;
  detail: lists.Detail;
  entries: Entry[];
  nextCursor: string | null;
  cursorAfter(entry: Entry): string;
}

interface PageQuery {
  limit?: number;
  cursor?: string;
  include?: 'summary';
}

export interface ListQuery extends PageQuery {
  since?: string;
  until?: string;
  from?: string;
  to?: string;
  type?: string;
  validation?: string;
  thread?: string;
}

const WHOLE: lists.Detail = 'whole';
const NOTHING = Symbol('a filter that nothing can match');

export interface SentMessage {
  senderId: bigint;
  message: StoredMessage;
}

export async function getSent(services: ReadServices, reader: Business, id: string): Promise<SentMessage> {
  const messageId = parseId('msg', id);
  const found = messageId === undefined ? undefined : await store.findMessage(services.database.of(reader.id), reader.id, messageId);
  if (!found) throw new Refusal('not_found', 'The message was not found.');
  return { senderId: found.senderId, message: await withFiles(services, reader.id, found.message) };
}

export async function getMessage(services: ReadServices, reader: Business, id: string): Promise<StoredMessage> {
  return (await getSent(services, reader, id)).message;
}

export function senderOf({ database }: ReadServices, reader: Business, messageId: string): Promise<bigint | undefined> {
  return store.findSender(database.of(reader.id), reader.id, messageId);
}

/** The newest come first, in the order of commits to the reader's ledger. `spend` charges for entries scanned in vain. */
export async function listMessages(
  services: ReadServices,
  reader: Business,
  box: lists.Box,
  query: ListQuery,
  spend: Spend,
): Promise<MessagePage> {
  const { limit = PAGE_DEFAULT_ITEMS, cursor, include: detail = WHOLE, ...given } = query;
  const scope = [box, reader.id.toString(), Object.entries(given).sort()];
  const below = services.cursors.open(scope, cursor);
  const filters = await resolveFilters(services.parties, reader, box, given);
  const shard = services.database.of(reader.id);
  const wanted = { after: below, limit: limit + 1, detail };
  const { entries, scannedTo, scanned, lacksIndex } =
    filters === NOTHING ? lists.NO_ENTRIES : await lists.listEntries(shard, reader.id, box, filters, wanted);
  spend({ rows: scanned });
  // Short ledgers need no index.
  if (lacksIndex && scannedTo !== undefined) await lists.beginFilters(shard, reader.id);
  const cursorAfter = ({ position }: Pick<lists.ListedEntry, 'position'>) => services.cursors.issue(scope, position);
  const page = pageFrom(entries, limit, cursorAfter);
  const nextCursor = page.nextCursor ?? (scannedTo === undefined ? null : cursorAfter({ position: scannedTo }));
  return { readerId: reader.id, detail, cursorAfter, entries: page.entries, nextCursor };
}

interface ThreadPage extends MessagePage {
  threadId: string;
  hidden: number;
}

export async function readThread(services: ReadServices, reader: Business, id: string, query: PageQuery): Promise<ThreadPage> {
  const { limit = PAGE_DEFAULT_ITEMS, cursor, include: detail = WHOLE } = query;
  const threadId = parseId('thr', id);
  if (threadId === undefined) throw new Refusal('not_found', 'The thread was not found.');
  const scope = ['thread', reader.id.toString(), threadId];
  const above = services.cursors.open(scope, cursor);
  const entries = await lists.listThread(services.database.of(reader.id), reader.id, threadId, { after: above, limit: limit + 1, detail });
  if (entries.length === 0) throw new Refusal('not_found', 'The thread was not found.');
  const hidden = await countHidden(services.database, reader.id, threadId);
  const cursorAfter = ({ position }: lists.ListedEntry) => services.cursors.issue(scope, position);
  const page = { readerId: reader.id, detail, cursorAfter, ...pageFrom(entries, limit, cursorAfter) };
  return { threadId: formatId('thr', threadId), hidden, ...page };
}

/** A receipt is public: anyone with the token sees as much of the message as the sender allows. */
export async function findReceipt(
  services: ReadServices,
  token: Buffer | undefined,
): Promise<(SentMessage & { detail: ReceiptDetail }) | undefined> {
  const found = token && (await findByReceipt(services.database, token));
  return found && { ...found, message: await withFiles(services, found.senderId, found.message) };
}

/** The token tells its sender's shard, unless it was issued before tokens did. */
async function findByReceipt(database: Database, token: Buffer): Promise<store.ReceiptRecord | undefined> {
  const likely = database.of(BigInt(senderByteOf(token)));
  const found = await store.findByReceipt(likely, token);
  if (found) return found;
  for (const shard of database.shards) {
    const older = shard === likely ? undefined : await store.findByReceipt(shard, token);
    if (older) return older;
  }
  return undefined;
}

/** The entries are in the order of the keys. Small messages have their text, and others the key to read them later. */
export function entriesOf(
  { database }: Pick<ReadServices, 'database'>,
  readerId: bigint,
  keys: readonly lists.MessageKey[],
  detail: lists.Detail,
) {
  return lists.entriesOf(database.of(readerId), readerId, keys, detail);
}

export function pageFrom<Entry extends lists.ListedEntry>(
  entries: Entry[],
  limit: number,
  cursorAfter: (entry: Entry) => string,
): Pick<MessagePage<Entry>, 'entries' | 'nextCursor'> {
  let bytes = 0;
  const tooMany = entries.findIndex((entry, i) => {
    bytes += entry.bytes;
    return i > 0 && bytes > PAGE_MAX_BYTES;
  });
  const fitting = tooMany < 0 ? limit : Math.min(tooMany, limit);
  const { items, nextCursor } = pageOf(entries, fitting, cursorAfter);
  return { entries: items, nextCursor };
}

async function resolveFilters(
  parties: PartyDirectory,
  reader: Business,
  box: lists.Box,
  query: ListQuery,
): Promise<lists.EntryFilters | typeof NOTHING> {
  const filters: lists.EntryFilters = {};
  if (query.since !== undefined) filters.sinceMs = timeOf('since', query.since);
  if (query.until !== undefined) filters.untilMs = timeOf('until', query.until);
  if (query.type !== undefined) filters.type = query.type;
  if (query.validation !== undefined) filters.validation = query.validation;
  if (query.thread !== undefined) filters.threadId = parseId('thr', query.thread) ?? refuse('thread', 'must be a thread id, thr_…');
  if (query.to !== undefined) filters.segment = segmentOf(reader, query.to);
  if (query.from === undefined) return filters;
  const from = await resolveFrom(parties, reader, box, query.from);
  return from === NOTHING ? NOTHING : { ...filters, ...from };
}

async function resolveFrom(
  parties: PartyDirectory,
  reader: Business,
  box: lists.Box,
  from: string,
): Promise<lists.EntryFilters | typeof NOTHING> {
  if (from.includes('@')) return { fromEmail: from.toLowerCase() };
  if (from.includes('.'))
    return box === 'in' ? { fromDomain: from.toLowerCase() } : refuse('from', 'must be a handle or an e-mail address');
  const handle = parseHandle(from) ?? refuse('from', 'must be a handle, an e-mail address or a domain');
  // Everything in an outbox is from its owner.
  if (box === 'out') return handle === reader.handle ? {} : NOTHING;
  const party = await parties.byHandle(handle);
  return party ? { counterpartyId: party.id } : NOTHING;
}

function segmentOf(reader: Business, text: string): string {
  const prefix = `${reader.handle}/`;
  const segment = text.toLowerCase().startsWith(prefix) ? text.slice(prefix.length) : text;
  return parseSegment(segment) ?? refuse('to', 'must be a segment of your business');
}

function timeOf(name: string, text: string): number {
  return parseTime(text) ?? refuse(name, 'must be an ISO 8601 time such as 2026-01-31T12:00:00Z (write + as %2B in a URL)');
}

function refuse(name: string, message: string): never {
  throw invalid([{ path: `/${name}`, message }]);
}
