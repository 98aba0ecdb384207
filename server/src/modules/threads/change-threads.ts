import { invalid, Refusal } from '../../contract/errors.ts';
import { newUuid } from '../../contract/ids.ts';
import {
  AGENTS_PER_BUSINESS_MAX,
  LABELS_PER_BUSINESS_MAX,
  LABELS_PER_THREAD_MAX,
  MEMBERS_PER_BUSINESS_MAX,
  THREAD_LABEL_MAX_CHARS,
  UNREAD_COUNT_MAX,
} from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import { withoutUnseen } from '../../contract/visible-text.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import { queueEvents } from '../webhooks/events.ts';
import * as store from './change-store.ts';
import { findColleagues, listColleagues } from './colleague-store.ts';
import { type Colleague, colleagueOf, type NamedColleague, parseColleague } from './colleagues.ts';
import { type DocumentView, documentView } from './document-view.ts';
import { type IndexServices, requireThreads } from './ensure-indexed.ts';
import { readerOf } from './list-threads.ts';
import { notify } from './notifications.ts';

export { noteChange, noteChanges } from './change-store.ts';

interface ThreadChange {
  status?: 'open' | 'done';
  assignee?: string | null;
  labels?: string[];
  add_labels?: string[];
  remove_labels?: string[];
  unread?: boolean;
}

/** Changes all of these threads or, atomically, none. */
export async function changeThreads(
  services: IndexServices,
  caller: Caller,
  ids: readonly string[],
  change: ThreadChange,
): Promise<string[]> {
  const { database } = services;
  const partyId = caller.business.id;
  const threadIds = await requireThreads(services, partyId, ids);
  const by = colleagueOf(caller);
  const assignee = change.assignee === undefined ? undefined : await assigneeOf(database, partyId, by, change.assignee);
  const labels = labelChangeOf(change);
  await database.of(partyId).transaction(async (tx) => {
    await store.noteChange(tx, partyId);
    await store.lockThreads(tx, partyId, threadIds);
    if (change.status !== undefined) await store.setStatus(tx, partyId, threadIds, change.status === 'done');
    if (assignee !== undefined) {
      const changed = await store.setAssignee(tx, partyId, threadIds, assignee);
      await tellOfAssignment(tx, partyId, by, assignee, changed);
    }
    if (labels !== undefined) await changeLabels(tx, partyId, threadIds, labels);
    if (change.unread !== undefined) await store.markRead(tx, partyId, by, threadIds, change.unread);
    if (isShared(change)) await queueEvents(tx, partyId, 'thread.updated', threadIds);
  });
  return threadIds;
}

function isShared({ unread: _, ...shared }: ThreadChange): boolean {
  return Object.keys(shared).length > 0;
}

/** Colleagues are not notified of their own actions. */
async function tellOfAssignment(
  tx: Queryable,
  partyId: bigint,
  by: NamedColleague,
  assignee: Colleague | null,
  threadIds: readonly string[],
): Promise<void> {
  if (assignee === null || assignee.id === by.id) return;
  const all = threadIds.map((threadId) => ({ id: newUuid(), recipient: assignee, kind: 'assignment' as const, threadId, commentId: null }));
  await notify(tx, partyId, by, all);
}

async function assigneeOf(database: Database, partyId: bigint, by: Colleague, text: string | null): Promise<Colleague | null> {
  if (text === null) return null;
  if (text === 'me') return by;
  const colleague = parseColleague(text);
  const [found] = colleague === undefined ? [] : await findColleagues(database, partyId, [colleague]);
  if (!found) throw invalid([{ path: '/assignee', message: 'must be me, null, or the id of a member or an agent of your business' }]);
  return found;
}

function labelChangeOf({ labels, add_labels: added, remove_labels: removed }: ThreadChange): store.LabelChange | undefined {
  if (labels === undefined && added === undefined && removed === undefined) return undefined;
  return {
    labels: labels?.map((label, i) => labelOf('labels', label, i)),
    added: (added ?? []).map((label, i) => labelOf('add_labels', label, i)),
    removed: (removed ?? []).map((label, i) => labelOf('remove_labels', label, i)),
  };
}

function labelOf(field: string, text: string, i: number): string {
  const label = withoutUnseen(text).trim().normalize('NFC');
  if (label.length > 0 && label.length <= THREAD_LABEL_MAX_CHARS) return label;
  throw invalid([{ path: `/${field}/${i}`, message: `must have 1 to ${THREAD_LABEL_MAX_CHARS} visible characters` }]);
}

async function changeLabels(tx: Queryable, partyId: bigint, threadIds: readonly string[], change: store.LabelChange): Promise<void> {
  if ((await store.setLabels(tx, partyId, threadIds, change)) > LABELS_PER_THREAD_MAX)
    throw new Refusal('conflict', `A thread can have ${LABELS_PER_THREAD_MAX} labels at most.`);
  if ((await store.labelsOf(tx, partyId, LABELS_PER_BUSINESS_MAX + 1)).length > LABELS_PER_BUSINESS_MAX)
    throw new Refusal('conflict', `The threads of a business can have ${LABELS_PER_BUSINESS_MAX} labels at most. Take one away first.`);
}

export async function markRead(services: IndexServices, caller: Caller, id: string, isUnread: boolean): Promise<void> {
  const partyId = caller.business.id;
  const threadIds = await requireThreads(services, partyId, [id]);
  await store.markRead(services.database.of(partyId), partyId, colleagueOf(caller), threadIds, isUnread);
}

export interface ThreadState {
  subject: string | null;
  messageCount: number;
  unreadCount: number;
  isDone: boolean;
  assignee: NamedColleague | null;
  labels: string[];
  document: DocumentView | null;
}

export async function stateOf(services: IndexServices, caller: Caller, id: string): Promise<ThreadState> {
  const partyId = caller.business.id;
  const { database } = services;
  const [threadId = ''] = await requireThreads(services, partyId, [id]);
  const row = await store.stateOf(database.of(partyId), partyId, threadId, readerOf(caller), UNREAD_COUNT_MAX);
  const { assignee_kind: kind, assignee_id: assigneeId } = row;
  const [assignee] = kind === null || assigneeId === null ? [] : await findColleagues(database, partyId, [{ kind, id: assigneeId }]);
  return {
    subject: row.subject,
    messageCount: row.message_count,
    unreadCount: row.unread_count,
    isDone: row.is_done,
    assignee: assignee ?? null,
    labels: row.labels,
    document: documentView(row),
  };
}

export function listLabels(database: Database, { business }: Caller): Promise<string[]> {
  return store.labelsOf(database.of(business.id), business.id, LABELS_PER_BUSINESS_MAX);
}

export function listAssignees(database: Database, { business }: Caller): Promise<NamedColleague[]> {
  return listColleagues(database, business.id, MEMBERS_PER_BUSINESS_MAX, AGENTS_PER_BUSINESS_MAX);
}
