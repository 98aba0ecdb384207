import type { Spend } from '../../contract/cost.ts';
import type { Cursors } from '../../contract/cursors.ts';
import { PAGE_DEFAULT_ITEMS } from '../../contract/limits.ts';
import type { Business, Caller, PartyView } from '../../contract/parties.ts';
import { POSITIONS_PER_MS } from '../../contract/positions.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { EnvelopeServices } from '../messages/envelopes.ts';
import { type Loaded, messagesIn } from '../messages/page-body.ts';
import { entriesOf, type ListedEntry, type MessagePage, pageFrom } from '../messages/read-messages.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { partyViewOf } from '../parties/party-row.ts';
import { findColleagues } from './colleague-store.ts';
import { type Colleague, colleagueOf, type NamedColleague } from './colleagues.ts';
import { type DocumentView, documentView } from './document-view.ts';
import * as store from './list-store.ts';
import { resolveFilters, type ThreadQuery } from './thread-filters.ts';

export interface ThreadServices extends EnvelopeServices {
  database: Database;
  parties: PartyDirectory;
  cursors: Cursors;
}

export interface Thread {
  id: string;
  subject: string | null;
  parties: PartyView[];
  with: PartyView;
  messageCount: number;
  unreadCount: number;
  isDone: boolean;
  assignee: NamedColleague | null;
  labels: string[];
  hasFiles: boolean;
  failedSchema: boolean;
  type: string | null;
  document: DocumentView | null;
  updatedMs: number;
}

interface PageQuery {
  limit?: number;
  cursor?: string;
}

export interface ThreadEntry extends ListedEntry {
  thread: Thread;
  threadPosition: store.ThreadPosition;
}

type ThreadPage = MessagePage<ThreadEntry>;

export interface ThreadWithMessage {
  thread: Thread;
  lastMessage: Loaded;
}

const NONE: store.Threads = { rows: [], scannedTo: undefined, scanned: 0 };

/** The latest activity comes first. `spend` charges for threads scanned in vain. */
export async function listThreads(
  services: ThreadServices,
  caller: Caller,
  query: ThreadQuery & PageQuery,
  spend: Spend,
): Promise<ThreadPage> {
  const { limit = PAGE_DEFAULT_ITEMS, cursor, ...given } = query;
  const { business } = caller;
  const reader = readerOf(caller);
  const scope = ['threads', business.id.toString(), reader.id, Object.entries(given).sort()];
  const after = positionIn(services.cursors.open(scope, cursor));
  const filters = await resolveFilters(services.parties, business, reader, given);
  const database = services.database.of(business.id);
  const found = filters === undefined ? NONE : await store.listThreads(database, business.id, reader, filters, after, limit + 1);
  spend({ rows: found.scanned });
  const cursorAt = ({ key, threadId }: store.ThreadPosition) => services.cursors.issue(scope, `${key} ${threadId}`);
  const cursorAfter = ({ threadPosition }: ThreadEntry) => cursorAt(threadPosition);
  const page = pageFrom(await toEntries(services, caller, found.rows), limit, cursorAfter);
  const nextCursor = page.nextCursor ?? (found.scannedTo ? cursorAt(found.scannedTo) : null);
  return { readerId: business.id, detail: 'summary', entries: page.entries, cursorAfter, nextCursor };
}

/** Yields the threads of a page with their last messages. Only a few messages are in memory at a time. */
export async function* threadsIn(services: ThreadServices, page: ThreadPage): AsyncGenerator<ThreadWithMessage> {
  const entries = page.entries.values();
  for await (const lastMessage of messagesIn(services, page)) {
    const { value: entry } = entries.next();
    if (entry) yield { thread: entry.thread, lastMessage };
  }
}

/** The key needs no check, because a cursor is sealed. */
function positionIn(key: string | undefined): store.ThreadPosition | undefined {
  // The number of a document may have spaces, an id has none.
  const at = key?.lastIndexOf(' ') ?? -1;
  return key === undefined || at < 0 ? undefined : { key: key.slice(0, at), threadId: key.slice(at + 1) };
}

/** Messages from before a reader joined are not new to it. */
export function readerOf(caller: Caller): store.Reader {
  const { by } = caller;
  const since = by.kind === 'key' ? by.agent.createdAt : by.joinedAt;
  return { ...colleagueOf(caller), since: BigInt(since.getTime()) * POSITIONS_PER_MS };
}

async function toEntries(services: ThreadServices, { business }: Caller, rows: readonly store.ThreadRow[]): Promise<ThreadEntry[]> {
  const keys = rows.map((row) => ({ senderId: BigInt(row.last_sender_id), messageId: row.last_message_id }));
  const entries = (await entriesOf(services, business.id, keys, 'summary')).values();
  const assignees = new Map((await findColleagues(services.database, business.id, rows.flatMap(assigneeOf))).map((one) => [one.id, one]));
  return rows.flatMap((row) => {
    const { value: entry } = entries.next();
    const threadPosition = { key: row.key, threadId: row.thread_id };
    return entry ? [{ ...entry, threadPosition, thread: toThread(row, business, assignees) }] : [];
  });
}

function toThread(row: store.ThreadRow, { view }: Business, assignees: Map<string, NamedColleague>): Thread {
  const other = partyViewOf(row);
  return {
    id: row.thread_id,
    subject: row.subject,
    parties: [view, other],
    with: other,
    messageCount: row.message_count,
    unreadCount: row.unread_count,
    isDone: row.is_done,
    assignee: assignees.get(row.assignee_id ?? '') ?? null,
    labels: row.labels,
    hasFiles: row.has_files,
    failedSchema: row.failed_schema,
    type: row.type,
    document: documentView(row),
    updatedMs: Number(BigInt(row.last_position) / POSITIONS_PER_MS),
  };
}

function assigneeOf({ assignee_kind: kind, assignee_id: id }: store.ThreadRow): Colleague[] {
  return kind === null || id === null ? [] : [{ kind, id }];
}
