import { formatId } from '../../contract/ids.ts';
import { COMMENTS_PER_THREAD_MAX } from '../../contract/limits.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { findDecided } from './change-store.ts';
import { findColleagues } from './colleague-store.ts';
import { colleagueView } from './colleagues.ts';
import { countComments } from './comment-store.ts';
import { documentView } from './document-view.ts';

/** The body of the event thread.updated: the current thread. Undefined if the thread or the other party is gone. */
export async function updatedThread(
  { database, parties }: { database: Database; parties: PartyDirectory },
  partyId: bigint,
  threadId: string,
): Promise<string | undefined> {
  const shard = database.of(partyId);
  const thread = await findDecided(shard, partyId, threadId);
  const other = thread && (await parties.byId(BigInt(thread.counterparty_id)));
  if (!thread || !other) return undefined;
  const { assignee_kind: kind, assignee_id: id } = thread;
  const [assignee] = kind === null || id === null ? [] : await findColleagues(database, partyId, [{ kind, id }]);
  return JSON.stringify({
    id: formatId('thr', threadId),
    subject: thread.subject,
    with: other.view,
    message_count: thread.message_count,
    comment_count: await countComments(shard, partyId, threadId, COMMENTS_PER_THREAD_MAX),
    status: thread.is_done ? 'done' : 'open',
    assignee: assignee ? colleagueView(assignee) : null,
    labels: thread.labels,
    document: documentView(thread),
  });
}
