import type { Queryable } from '../../platform/postgres.ts';

/** Whose a segment is: exactly one of them. */
export interface SegmentHolder {
  agentId?: string;
  personId?: string;
}

/** Makes changes of segments in one business wait for each other: two that swap theirs would otherwise deadlock. */
export async function lockSegments(tx: Queryable, partyId: bigint): Promise<void> {
  await tx.query('SELECT FROM parties WHERE id = $1 FOR NO KEY UPDATE', [partyId]);
}

export async function isSegmentTaken(db: Queryable, partyId: bigint, segment: string): Promise<boolean> {
  return (await db.query('SELECT FROM segments WHERE party_id = $1 AND segment = $2', [partyId, segment])).length > 0;
}

/** Fails with a unique violation when somebody else in the business has the segment. */
export async function assignSegment(tx: Queryable, partyId: bigint, holder: SegmentHolder, segment: string | null): Promise<void> {
  const who = [partyId, holder.agentId ?? null, holder.personId ?? null];
  await tx.query('DELETE FROM segments WHERE party_id = $1 AND (agent_id = $2 OR person_id = $3)', who);
  if (segment !== null)
    await tx.query('INSERT INTO segments (party_id, agent_id, person_id, segment) VALUES ($1, $2, $3, $4)', [...who, segment]);
}
