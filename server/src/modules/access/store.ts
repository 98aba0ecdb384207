import { bigintArray, uuidArray } from '../../platform/postgres/binary-array.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { prepared } from '../../platform/postgres/statement.ts';

/** Access to a ledger comes from a key of the business, or from membership and a session. */
export interface Access {
  partyId: bigint;
  keyId: string | null;
  personId: string | null;
  sessionId: string | null;
}

const ENDED = prepared(
  'accesses-ended',
  `SELECT a.place
     FROM unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::uuid[]) WITH ORDINALITY AS a (party_id, key_id, person_id, session_id, place)
    WHERE NOT CASE WHEN a.key_id IS NOT NULL
              THEN EXISTS (SELECT FROM api_keys k WHERE k.party_id = a.party_id AND k.id = a.key_id AND k.revoked_at IS NULL)
              ELSE EXISTS (SELECT FROM members m WHERE m.party_id = a.party_id AND m.person_id = a.person_id)
                   AND EXISTS (SELECT FROM sessions s WHERE s.id = a.session_id AND s.expires_at > now()) END`,
  { place: 'bigint' },
);

/** Returns the indices of accesses that have ended: the key was revoked, the member removed, or the session ended. */
export async function findEnded(db: Queryable, accesses: readonly Access[]): Promise<number[]> {
  const rows = await db.query(ENDED, [
    bigintArray(accesses.map(({ partyId }) => partyId)),
    ...(['keyId', 'personId', 'sessionId'] as const).map((name) => uuidArray(accesses.map((access) => access[name]))),
  ]);
  return rows.map(({ place }) => Number(place) - 1);
}
