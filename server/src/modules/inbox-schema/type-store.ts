import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';
import type { StoredSchema } from './store.ts';

export interface TypeSchema extends StoredSchema {
  type: string;
}

export interface TypeSchemaHead {
  type: string;
  bytes: number;
  updatedAt: Date;
  isPublished: boolean;
}

const VERSION = '(extract(epoch FROM updated_at) * 1000000)::bigint::text AS version';

const VERSIONS = prepared(
  'schema-versions',
  `SELECT NULL::text AS type, ${VERSION} FROM inbox_schemas WHERE party_id = $1
   UNION ALL SELECT type, ${VERSION} FROM type_schemas WHERE party_id = $1`,
  { type: 'text?', version: 'text' },
);

/** The versions of all schemas of a party, that of its inbox without a type. Leaves the texts out: schemas are large, and hardly any send needs them. */
export function findVersions(db: Queryable, partyId: bigint) {
  return db.query(VERSIONS, [partyId]);
}

const ROW = columns({ type: 'text', schema: 'text', updated_at: 'timestamptz', version: 'text', is_published: 'boolean' });
const SCHEMA = statement(
  `SELECT type, schema, updated_at, ${VERSION}, is_published FROM type_schemas WHERE party_id = $1 AND type = $2`,
  ROW,
);

export async function findTypeSchema(db: Queryable, partyId: bigint, type: string): Promise<TypeSchema | undefined> {
  const [row] = await db.query(SCHEMA, [partyId, type]);
  return row && toSchema(row);
}

const HEADS = statement(
  'SELECT type, octet_length(schema) AS bytes, updated_at, is_published FROM type_schemas WHERE party_id = $1 ORDER BY type COLLATE "C"',
  { type: 'text', bytes: 'integer', updated_at: 'timestamptz', is_published: 'boolean' },
);

export async function listTypeSchemas(db: Queryable, partyId: bigint): Promise<TypeSchemaHead[]> {
  const rows = await db.query(HEADS, [partyId]);
  return rows.map((row) => ({ type: row.type, bytes: row.bytes, updatedAt: row.updated_at, isPublished: row.is_published }));
}

const HAS_ANY = statement('SELECT EXISTS (SELECT FROM type_schemas) AS found', { found: 'boolean' });

export async function hasAnyOfTypes(db: Queryable): Promise<boolean> {
  return onlyRow(await db.query(HAS_ANY)).found;
}

const LOCK = statement('SELECT FROM parties WHERE id = $1 FOR NO KEY UPDATE');
const USED = statement(
  'SELECT count(*)::integer AS count, coalesce(sum(octet_length(schema)), 0)::integer AS bytes FROM type_schemas WHERE party_id = $1 AND type <> $2',
  { count: 'integer', bytes: 'integer' },
);

/** What schemas of other types use of the limits. Serializes the changes of a business, so that they can be counted. */
export async function lockAndCount(tx: Queryable, partyId: bigint, type: string): Promise<{ count: number; bytes: number }> {
  await tx.query(LOCK, [partyId]);
  return onlyRow(await tx.query(USED, [partyId, type]));
}

const SAVE = statement(
  `INSERT INTO type_schemas (party_id, type, schema, updated_at) VALUES ($1, $2, $3, 'epoch')
   ON CONFLICT (party_id, type) DO UPDATE SET schema = excluded.schema`,
);
const NEXT_TIME = statement(
  `SELECT greatest(clock_timestamp(), updated_at + interval '1 microsecond')::text AS next FROM type_schemas WHERE party_id = $1 AND type = $2`,
  { next: 'text' },
);
const SET_TIME = statement('UPDATE type_schemas SET updated_at = $3::timestamptz WHERE party_id = $1 AND type = $2');

/** Runs several statements, because Citus does not compute a row's next time inside a change of it. */
export async function saveTypeSchema(tx: Queryable, partyId: bigint, type: string, text: string): Promise<TypeSchema> {
  await tx.query(SAVE, [partyId, type, text]);
  const { next } = onlyRow(await tx.query(NEXT_TIME, [partyId, type]));
  await tx.query(SET_TIME, [partyId, type, next]);
  return toSchema(onlyRow(await tx.query(SCHEMA, [partyId, type])));
}

const PUBLISH = statement('UPDATE type_schemas SET is_published = $3 WHERE party_id = $1 AND type = $2');

export async function setTypePublished(
  tx: Queryable,
  partyId: bigint,
  type: string,
  isPublished: boolean,
): Promise<TypeSchema | undefined> {
  await tx.query(PUBLISH, [partyId, type, isPublished]);
  return findTypeSchema(tx, partyId, type);
}

const DELETE = statement('DELETE FROM type_schemas WHERE party_id = $1 AND type = $2');

export async function deleteTypeSchema(tx: Queryable, partyId: bigint, type: string): Promise<boolean> {
  if (!(await findTypeSchema(tx, partyId, type))) return false;
  await tx.query(DELETE, [partyId, type]);
  return true;
}

function toSchema(row: RowOf<typeof ROW>): TypeSchema {
  return { type: row.type, text: row.schema, updatedAt: row.updated_at, version: row.version, isPublished: row.is_published };
}
