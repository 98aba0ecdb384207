import type { Caller } from '../../contract/parties.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { type Access, findEnded } from './store.ts';

export { type Access, findEnded } from './store.ts';

/** Ends a response under way by closing its connection, so that the client knows that something is missing. */
export class AccessEnded extends Error {}

export function accessOf({ business, by }: Caller): Access {
  if (by.kind === 'key') return { partyId: business.id, keyId: by.key.id, personId: null, sessionId: null };
  return { partyId: business.id, keyId: null, personId: by.person.id, sessionId: by.person.sessionId };
}

/**
 * Long operations check this: the key may have been revoked since the request came, the member removed, or the session ended. Asks the
 * database, because that can happen in any process.
 */
export async function hasAccessEnded(db: Queryable, caller: Caller): Promise<boolean> {
  return (await findEnded(db, [accessOf(caller)])).length > 0;
}
