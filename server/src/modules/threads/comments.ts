import type { Cursors } from '../../contract/cursors.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { newUuid } from '../../contract/ids.ts';
import { COMMENTS_PER_BUSINESS_MAX, COMMENTS_PER_THREAD_MAX, PAGE_DEFAULT_ITEMS } from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import { queueEvents } from '../webhooks/events.ts';
import { noteChange } from './change-store.ts';
import { findColleagues } from './colleague-store.ts';
import { colleagueOf, type NamedColleague, parseColleague } from './colleagues.ts';
import * as store from './comment-store.ts';
import { type IndexServices, requireThreads } from './ensure-indexed.ts';
import { notify } from './notifications.ts';

export type { CommentRow } from './comment-store.ts';

/** A follower of comments runs in the transaction that adds the comment. */
export type CommentFollower = (tx: Queryable, partyId: bigint, threadId: string, commentId: string) => Promise<void>;

export interface CommentServices extends IndexServices {
  cursors: Cursors;
  commentFollowers: readonly CommentFollower[];
}

/** The oldest come first. There is one row more than the page has. */
export async function listComments(
  services: CommentServices,
  { business }: Caller,
  id: string,
  { limit = PAGE_DEFAULT_ITEMS, cursor }: { limit?: number; cursor?: string },
): Promise<{ rows: store.CommentRow[]; cursorAfter: (last: store.CommentRow) => string }> {
  const { database, cursors } = services;
  const [threadId = ''] = await requireThreads(services, business.id, [id]);
  const scope = ['comments', business.id.toString(), threadId];
  const after = cursors.open(scope, cursor);
  const rows = await store.listComments(database.of(business.id), business.id, threadId, after, limit + 1);
  return { rows, cursorAfter: ({ id }) => cursors.issue(scope, id) };
}

export async function addComment(
  services: CommentServices,
  caller: Caller,
  id: string,
  { text, mentions = [] }: { text: string; mentions?: string[] },
): Promise<store.CommentRow> {
  const { database, commentFollowers } = services;
  const partyId = caller.business.id;
  if (text.trim() === '') throw invalid([{ path: '/text', message: 'must not be empty' }]);
  const [threadId = ''] = await requireThreads(services, partyId, [id]);
  const mentioned = await colleaguesOf(database, partyId, mentions);
  const author = colleagueOf(caller);
  const commentId = newUuid();
  return database.of(partyId).transaction(async (tx) => {
    await noteChange(tx, partyId);
    if ((await store.countComments(tx, partyId, threadId, COMMENTS_PER_THREAD_MAX)) >= COMMENTS_PER_THREAD_MAX)
      throw new Refusal('conflict', `A thread can have ${COMMENTS_PER_THREAD_MAX} comments at most.`);
    if ((await store.countOneMore(tx, partyId)) > COMMENTS_PER_BUSINESS_MAX)
      throw new Refusal('conflict', `A business can have ${COMMENTS_PER_BUSINESS_MAX} comments at most.`);
    const comment = await store.insertComment(tx, partyId, threadId, { id: commentId, author, text, mentions: mentioned });
    for (const follow of commentFollowers) await follow(tx, partyId, threadId, commentId);
    const told = mentioned.filter((colleague) => colleague.id !== author.id);
    const all = told.map((recipient) => ({ id: newUuid(), recipient, kind: 'mention' as const, threadId, commentId }));
    await notify(tx, partyId, author, all);
    await queueEvents(tx, partyId, 'thread.updated', [threadId]);
    return comment;
  });
}

async function colleaguesOf(database: Database, partyId: bigint, ids: readonly string[]): Promise<NamedColleague[]> {
  const colleagues = ids.map(parseColleague);
  const found = await findColleagues(
    database,
    partyId,
    colleagues.flatMap((colleague) => colleague ?? []),
  );
  const named = colleagues.map((colleague) => found.find((one) => one.id === colleague?.id && one.kind === colleague.kind));
  const issues = named.flatMap((one, i) =>
    one ? [] : [{ path: `/mentions/${i}`, message: 'is not a member or an agent of your business' }],
  );
  if (issues.length > 0) throw invalid(issues);
  return [...new Set(named.flatMap((one) => one ?? []))];
}
