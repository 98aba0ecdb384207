import { uuidArray } from '../../platform/postgres/binary-array.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { oneOf, statement } from '../../platform/postgres/statement.ts';
import { COLLEAGUE_KINDS, type Colleague, type NamedColleague } from './colleagues.ts';

const NAMED = statement(
  `SELECT 'person' AS kind, m.person_id AS id, p.name FROM members m JOIN people p ON p.id = m.person_id
    WHERE m.party_id = $1 AND m.person_id = ANY ($2::uuid[])
   UNION ALL
   SELECT 'agent', a.id, a.name FROM agents a WHERE a.party_id = $1 AND a.id = ANY ($3::uuid[])`,
  { kind: oneOf('text', COLLEAGUE_KINDS), id: 'uuid', name: 'text' },
);

export async function findColleagues(db: Queryable, partyId: bigint, colleagues: readonly Colleague[]): Promise<NamedColleague[]> {
  if (colleagues.length === 0) return [];
  const idsOf = (kind: Colleague['kind']) => uuidArray(colleagues.filter((colleague) => colleague.kind === kind).map(({ id }) => id));
  return db.query(NAMED, [partyId, idsOf('person'), idsOf('agent')]);
}

const ALL = statement(
  `(SELECT 'person' AS kind, m.person_id AS id, p.name FROM members m JOIN people p ON p.id = m.person_id WHERE m.party_id = $1 ORDER BY m.person_id LIMIT $2)
   UNION ALL
   (SELECT 'agent', a.id, a.name FROM agents a WHERE a.party_id = $1 ORDER BY a.id LIMIT $3)`,
  { kind: oneOf('text', COLLEAGUE_KINDS), id: 'uuid', name: 'text' },
);

export async function listColleagues(db: Queryable, partyId: bigint, membersMax: number, agentsMax: number): Promise<NamedColleague[]> {
  return db.query(ALL, [partyId, membersMax, agentsMax]);
}
