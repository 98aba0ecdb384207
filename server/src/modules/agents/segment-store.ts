import type { Queryable } from '../../platform/postgres/postgres.ts';
import { statement } from '../../platform/postgres/statement.ts';

/** Exactly one of the fields is set. */
interface SegmentHolder {
  agentId?: string;
  personId?: string;
}

const LOCK_SEGMENTS = statement('SELECT FROM parties WHERE id = $1 FOR NO KEY UPDATE');

/** Serializes changes of segments in one business: two agents that swap theirs would otherwise deadlock. */
export async function lockSegments(tx: Queryable, partyId: bigint): Promise<void> {
  await tx.query(LOCK_SEGMENTS, [partyId]);
}

const IS_SEGMENT_TAKEN = statement('SELECT FROM segments WHERE party_id = $1 AND segment = $2');

export async function isSegmentTaken(db: Queryable, partyId: bigint, segment: string): Promise<boolean> {
  return (await db.query(IS_SEGMENT_TAKEN, [partyId, segment])).length > 0;
}

const DELETE_SEGMENT = statement('DELETE FROM segments WHERE party_id = $1 AND (agent_id = $2 OR person_id = $3)');
const INSERT_SEGMENT = statement('INSERT INTO segments (party_id, agent_id, person_id, segment) VALUES ($1, $2, $3, $4)');

/** Fails with a unique violation when another agent or member of the business has the segment. */
export async function assignSegment(tx: Queryable, partyId: bigint, holder: SegmentHolder, segment: string | null): Promise<void> {
  const who = [partyId, holder.agentId ?? null, holder.personId ?? null];
  await tx.query(DELETE_SEGMENT, who);
  if (segment !== null) await tx.query(INSERT_SEGMENT, [...who, segment]);
}
