import type { Caller } from '../../contract/parties.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { type Access, findEnded } from './store.ts';

export { type Access, findEnded } from './store.ts';

/** Ends a response under way by closing its connection, so that the client knows that the response is incomplete. */
export class AccessEnded extends Error {}

export function accessOf({ business, by }: Caller): Access {
  if (by.kind === 'key') return { partyId: business.id, keyId: by.key.id, personId: null, sessionId: null };
  return { partyId: business.id, keyId: null, personId: by.person.id, sessionId: by.person.sessionId };
}

/**
 * Long operations call this: since the request came, the key may have been revoked, the member removed, or the session ended. It queries
 * the database, because that can happen in any process.
 */
export async function hasAccessEnded(db: Queryable, caller: Caller): Promise<boolean> {
  return (await findEnded(db, [accessOf(caller)])).length > 0;
}
