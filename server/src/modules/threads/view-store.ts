import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, json, namesOf, oneOf, type RowOf, statement } from '../../platform/postgres/statement.ts';
import { COLLEAGUE_KINDS, type Colleague } from './colleagues.ts';
import type { ThreadQuery } from './thread-filters.ts';

const ROW = columns({
  id: 'uuid',
  owner_kind: oneOf('worker_kind', COLLEAGUE_KINDS),
  owner_id: 'uuid',
  is_shared: 'boolean',
  name: 'text',
  filter: json<ThreadQuery>(),
  created_at: 'timestamptz',
});

export type ViewRow = RowOf<typeof ROW>;

const VISIBLE = 'party_id = $1 AND (is_shared OR (owner_kind = $2 AND owner_id = $3))';
const LIST = statement(`SELECT ${namesOf(ROW)} FROM thread_views WHERE ${VISIBLE} ORDER BY id`, ROW);

/** There are few views, so they are not paged. */
export async function listViews(db: Queryable, partyId: bigint, reader: Colleague): Promise<ViewRow[]> {
  return db.query(LIST, [partyId, reader.kind, reader.id]);
}

const FIND = statement(`SELECT ${namesOf(ROW)} FROM thread_views WHERE ${VISIBLE} AND id = $4`, ROW);

export async function findView(db: Queryable, partyId: bigint, reader: Colleague, id: string): Promise<ViewRow | undefined> {
  return (await db.query(FIND, [partyId, reader.kind, reader.id, id]))[0];
}

const COUNT = statement(
  `SELECT count(*) FILTER (WHERE is_shared)::integer AS shared, count(*) FILTER (WHERE NOT is_shared AND owner_kind = $2 AND owner_id = $3)::integer AS own
     FROM thread_views WHERE party_id = $1`,
  { shared: 'integer', own: 'integer' },
);

export async function countViews(tx: Queryable, partyId: bigint, owner: Colleague): Promise<{ shared: number; own: number }> {
  return onlyRow(await tx.query(COUNT, [partyId, owner.kind, owner.id]));
}

interface ViewValues {
  name: string;
  filter: ThreadQuery;
  isShared: boolean;
}

const INSERT = statement(
  `INSERT INTO thread_views (party_id, id, owner_kind, owner_id, is_shared, name, filter, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, now()) RETURNING ${namesOf(ROW)}`,
  ROW,
);

export async function insertView(tx: Queryable, partyId: bigint, id: string, owner: Colleague, view: ViewValues): Promise<ViewRow> {
  const values = [partyId, id, owner.kind, owner.id, view.isShared, view.name, JSON.stringify(view.filter)];
  return onlyRow(await tx.query(INSERT, values));
}

const UPDATE = statement(
  `UPDATE thread_views SET is_shared = $3, name = $4, filter = $5 WHERE party_id = $1 AND id = $2 RETURNING ${namesOf(ROW)}`,
  ROW,
);

export async function updateView(tx: Queryable, partyId: bigint, id: string, view: ViewValues): Promise<ViewRow | undefined> {
  return (await tx.query(UPDATE, [partyId, id, view.isShared, view.name, JSON.stringify(view.filter)]))[0];
}

const DELETE = statement('DELETE FROM thread_views WHERE party_id = $1 AND id = $2');

export async function deleteView(db: Queryable, partyId: bigint, id: string): Promise<void> {
  await db.query(DELETE, [partyId, id]);
}
