import { type Cursors, pageOf } from '../../contract/cursors.ts';
import { invalid } from '../../contract/errors.ts';
import { parseId } from '../../contract/ids.ts';
import { NOTIFICATIONS_KEPT_MAX, PAGE_DEFAULT_ITEMS } from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import { colleagueOf, type NamedColleague } from './colleagues.ts';
import { queueNotificationMail } from './notification-mail-store.ts';
import * as store from './notification-store.ts';

export type { NotificationRow } from './notification-store.ts';

interface NotificationServices {
  database: Database;
  cursors: Cursors;
}

/** Call it in the transaction of the event. People also get a mail, as often as they want. */
export async function notify(tx: Queryable, partyId: bigint, by: NamedColleague, all: readonly store.NewNotification[]): Promise<void> {
  await store.insertNotifications(tx, partyId, by, all, NOTIFICATIONS_KEPT_MAX);
  const people = new Set(all.filter(({ recipient }) => recipient.kind === 'person').map(({ recipient }) => recipient.id));
  for (const personId of people) await queueNotificationMail(tx, partyId, personId);
}

export async function listNotifications(
  { database, cursors }: NotificationServices,
  caller: Caller,
  { limit = PAGE_DEFAULT_ITEMS, cursor, unread }: { limit?: number; cursor?: string; unread?: boolean },
): Promise<{ items: store.NotificationRow[]; nextCursor: string | null }> {
  const { id } = caller.business;
  const reader = colleagueOf(caller);
  const scope = ['notifications', id.toString(), reader.id, unread];
  const below = cursors.open(scope, cursor);
  const rows = await store.listNotifications(database.of(id), id, reader, below, limit + 1, unread);
  return pageOf(rows, limit, (last) => cursors.issue(scope, last.id));
}

/** Marks these ids, or all. Ids of others are ignored. Returns how many were unread. */
export async function markNotificationsRead(database: Database, caller: Caller, ids: readonly string[] | undefined): Promise<number> {
  const { id } = caller.business;
  const uuids = ids?.map((one, i) => {
    const uuid = parseId('ntf', one);
    if (uuid === undefined) throw invalid([{ path: `/ids/${i}`, message: 'must be a notification id, ntf_…' }]);
    return uuid;
  });
  return store.markNotificationsRead(database.of(id), id, colleagueOf(caller), uuids);
}
