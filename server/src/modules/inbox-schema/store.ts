import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, type RowOf, statement } from '../../platform/postgres/statement.ts';

export interface StoredSchema {
  text: string;
  updatedAt: Date;
  version: string;
  isPublished: boolean;
}

const SCHEMA_ROW = columns({ schema: 'text', updated_at: 'timestamptz', version: 'text', is_published: 'boolean' });

const VERSION = '(extract(epoch FROM updated_at) * 1000000)::bigint::text AS version';

const SCHEMA = statement(`SELECT schema, updated_at, ${VERSION}, is_published FROM inbox_schemas WHERE party_id = $1`, SCHEMA_ROW);

export async function findSchema(db: Queryable, partyId: bigint): Promise<StoredSchema | undefined> {
  const [row] = await db.query(SCHEMA, [partyId]);
  return row && toSchema(row);
}

const HAS_ANY = statement('SELECT EXISTS (SELECT FROM inbox_schemas) AS found', { found: 'boolean' });

export async function hasAny(db: Queryable): Promise<boolean> {
  const [row] = await db.query(HAS_ANY);
  return row?.found === true;
}

const SAVE_SCHEMA = statement(
  `INSERT INTO inbox_schemas (party_id, schema, updated_at) VALUES ($1, $2, 'epoch') ON CONFLICT (party_id) DO UPDATE SET schema = excluded.schema`,
);
const NEXT_TIME = statement(
  `SELECT greatest(clock_timestamp(), updated_at + interval '1 microsecond')::text AS next FROM inbox_schemas WHERE party_id = $1`,
  { next: 'text' },
);
const SET_TIME = statement('UPDATE inbox_schemas SET updated_at = $2::timestamptz WHERE party_id = $1');

/** Runs several statements, because Citus does not compute a row's next time inside a change of it. The first one locks the row. */
export async function saveSchema(tx: Queryable, partyId: bigint, text: string): Promise<StoredSchema> {
  await tx.query(SAVE_SCHEMA, [partyId, text]);
  const { next } = onlyRow(await tx.query(NEXT_TIME, [partyId]));
  await tx.query(SET_TIME, [partyId, next]);
  return toSchema(onlyRow(await tx.query(SCHEMA, [partyId])));
}

const PUBLISH = statement('UPDATE inbox_schemas SET is_published = $2 WHERE party_id = $1');

export async function setPublished(tx: Queryable, partyId: bigint, isPublished: boolean): Promise<StoredSchema | undefined> {
  await tx.query(PUBLISH, [partyId, isPublished]);
  return findSchema(tx, partyId);
}

const DELETE_SCHEMA = statement('DELETE FROM inbox_schemas WHERE party_id = $1');

export async function deleteSchema(tx: Queryable, partyId: bigint): Promise<void> {
  await tx.query(DELETE_SCHEMA, [partyId]);
}

function toSchema(row: RowOf<typeof SCHEMA_ROW>): StoredSchema {
  return { text: row.schema, updatedAt: row.updated_at, version: row.version, isPublished: row.is_published };
}
