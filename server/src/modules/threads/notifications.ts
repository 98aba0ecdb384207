import { type Cursors, pageOf } from '../../contract/cursors.ts';
import { invalid } from '../../contract/errors.ts';
import { parseId } from '../../contract/ids.ts';
import { PAGE_DEFAULT_ITEMS } from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import type { Database } from '../../platform/postgres.ts';
import * as store from './notification-store.ts';
import { workerOf } from './workers.ts';

export type { NotificationRow } from './notification-store.ts';

interface NotificationServices {
  database: Database;
  cursors: Cursors;
}

/** The caller's own, newest first. */
export async function listNotifications(
  { database, cursors }: NotificationServices,
  caller: Caller,
  { limit = PAGE_DEFAULT_ITEMS, cursor, unread }: { limit?: number; cursor?: string; unread?: boolean },
): Promise<{ items: store.NotificationRow[]; nextCursor: string | null }> {
  const { id } = caller.business;
  const reader = workerOf(caller);
  const scope = ['notifications', id.toString(), reader.id, unread];
  const below = cursors.open(scope, cursor);
  const rows = await store.listNotifications(database.of(id), id, reader, below, limit + 1, unread);
  return pageOf(rows, limit, (last) => cursors.issue(scope, last.id));
}

/** Those with these ids, or all. Ids of others are ignored. Returns how many were not read before. */
export async function markNotificationsRead(database: Database, caller: Caller, ids: readonly string[] | undefined): Promise<number> {
  const { id } = caller.business;
  const uuids = ids?.map((one, i) => {
    const uuid = parseId('ntf', one);
    if (uuid === undefined) throw invalid([{ path: `/ids/${i}`, message: 'must be a notification id, ntf_…' }]);
    return uuid;
  });
  return store.markNotificationsRead(database.of(id), id, workerOf(caller), uuids);
}
