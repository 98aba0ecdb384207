import type { Cursors } from '../../contract/cursors.ts';
import { PAGE_DEFAULT_ITEMS, PAGE_MAX_BYTES } from '../../contract/limits.ts';
import type { Caller, PartyView } from '../../contract/parties.ts';
import type { Database } from '../../platform/postgres.ts';
import type { EnvelopeServices } from '../messages/envelopes.ts';
import { POSITIONS_PER_MS } from '../messages/positions.ts';
import { summariesOf } from '../messages/summaries.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { partyViewOf } from '../parties/party-row.ts';
import * as store from './list-store.ts';
import { resolveFilters, type ThreadQuery } from './thread-filters.ts';
import { findWorkers } from './worker-store.ts';
import { type NamedWorker, type Worker, workerOf } from './workers.ts';

export interface ThreadServices extends EnvelopeServices {
  database: Database;
  parties: PartyDirectory;
  cursors: Cursors;
}

/** A thread with what its business has decided about it. */
export interface Thread {
  /** A uuid. */
  id: string;
  subject: string | null;
  parties: PartyView[];
  with: PartyView;
  /** An envelope without `json`, as JSON text. */
  lastMessage: string;
  messageCount: number;
  unreadCount: number;
  isDone: boolean;
  assignee: NamedWorker | null;
  labels: string[];
  hasFiles: boolean;
  failedSchema: boolean;
  type: string | null;
  updatedMs: number;
}

export interface PageQuery {
  limit?: number;
  cursor?: string;
}

/** Latest activity first. */
export async function listThreads(
  services: ThreadServices,
  caller: Caller,
  query: ThreadQuery & PageQuery,
): Promise<{ threads: Thread[]; nextCursor: string | null }> {
  const { limit = PAGE_DEFAULT_ITEMS, cursor, ...given } = query;
  const { business } = caller;
  const reader = readerOf(caller);
  const scope = ['threads', business.id.toString(), reader.id, Object.entries(given).sort()];
  const after = placeIn(services.cursors.open(scope, cursor));
  const filters = await resolveFilters(services.parties, business, reader, given);
  if (filters === undefined) return { threads: [], nextCursor: null };
  const found = await store.listThreads(services.database.of(business.id), business.id, reader, filters, after, limit + 1);
  const threads = await toThreads(services, caller, found.rows.slice(0, limit));
  const last = found.rows[threads.length - 1];
  const isCut = threads.length < found.rows.length && last !== undefined;
  const end = isCut ? { position: last.last_position, threadId: last.thread_id } : found.scannedTo;
  return { threads, nextCursor: end === undefined ? null : services.cursors.issue(scope, `${end.position} ${end.threadId}`) };
}

/** A cursor is sealed, so that it holds nothing but what was put into it. */
function placeIn(key: string | undefined): store.Place | undefined {
  const [position, threadId] = key?.split(' ') ?? [];
  return position === undefined || threadId === undefined ? undefined : { position, threadId };
}

/** Whatever came before a reader did is not new to it. */
export function readerOf(caller: Caller): store.Reader {
  const { by } = caller;
  const since = by.kind === 'key' ? by.agent.createdAt : by.joinedAt;
  return { ...workerOf(caller), since: BigInt(since.getTime()) * POSITIONS_PER_MS };
}

/** Ends early when the last messages are large together. */
export async function toThreads(services: ThreadServices, { business }: Caller, rows: readonly store.ThreadRow[]): Promise<Thread[]> {
  const keys = rows.map((row) => ({ senderId: BigInt(row.last_sender_id), messageId: row.last_message_id }));
  const summaries = await summariesOf(services, business.id, keys, PAGE_MAX_BYTES);
  const assignees = new Map((await findWorkers(services.database, business.id, rows.flatMap(assigneeOf))).map((one) => [one.id, one]));
  return summaries.map((lastMessage, i) => {
    const row = rows[i] as store.ThreadRow;
    const other = partyViewOf(row);
    return {
      id: row.thread_id,
      subject: row.subject,
      parties: [business.view, other],
      with: other,
      lastMessage,
      messageCount: row.message_count,
      unreadCount: row.unread_count,
      isDone: row.is_done,
      assignee: assignees.get(row.assignee_id ?? '') ?? null,
      labels: row.labels,
      hasFiles: row.has_files,
      failedSchema: row.failed_schema,
      type: row.type,
      updatedMs: Number(BigInt(row.last_position) / POSITIONS_PER_MS),
    };
  });
}

function assigneeOf({ assignee_kind: kind, assignee_id: id }: store.ThreadRow): Worker[] {
  return kind === null || id === null ? [] : [{ kind, id }];
}
