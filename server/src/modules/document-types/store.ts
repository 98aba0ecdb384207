import { bigintArray } from '../../platform/postgres/binary-array.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, namesOf, type RowOf, statement } from '../../platform/postgres/statement.ts';

export interface OwnTypeHead {
  type: string;
  title: string;
  description: string;
  version: number;
  updatedAt: Date;
  isPublished: boolean;
}

/** `schema` and `layout` are JSON text. */
export interface OwnType extends OwnTypeHead {
  schema: string;
  layout: string;
}

export type NewType = Pick<OwnType, 'title' | 'description' | 'schema' | 'layout'> & { isPublished: boolean | undefined };

const HEAD_ROW = columns({
  type: 'text',
  title: 'text',
  description: 'text',
  version: 'integer',
  updated_at: 'timestamptz',
  is_published: 'boolean',
});
const ROW = columns({ ...HEAD_ROW, schema: 'text', layout: 'text' });

const HEADS = statement(
  `SELECT ${namesOf(HEAD_ROW)} FROM document_types WHERE party_id = $1 AND (is_published OR NOT $2) ORDER BY type COLLATE "C"`,
  HEAD_ROW,
);

export async function listTypes(db: Queryable, partyId: bigint, onlyPublished: boolean): Promise<OwnTypeHead[]> {
  return (await db.query(HEADS, [partyId, onlyPublished])).map(toHead);
}

const TYPE = statement(`SELECT ${namesOf(ROW)} FROM document_types WHERE party_id = $1 AND type = $2`, ROW);

export async function findType(db: Queryable, partyId: bigint, type: string): Promise<OwnType | undefined> {
  const [row] = await db.query(TYPE, [partyId, type]);
  return row && toType(row);
}

export interface TypeKey {
  partyId: bigint;
  type: string;
}

const KEYS = 'unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS k (party_id, type, place)';
const JOINED = `FROM ${KEYS} JOIN document_types t ON t.party_id = k.party_id AND t.type = k.type ORDER BY k.place`;
const CHANGED = statement(`SELECT k.place::integer AS place, t.updated_at ${JOINED}`, { place: 'integer', updated_at: 'timestamptz' });
const LAYOUTS = statement(`SELECT k.place::integer AS place, t.layout ${JOINED}`, { place: 'integer', layout: 'text' });

const OWNERS = statement('SELECT DISTINCT party_id FROM document_types WHERE party_id = ANY ($1::bigint[])', { party_id: 'bigint' });

/** Those of the businesses that have described types themselves. */
export async function ownersAmong(db: Queryable, parties: readonly bigint[]): Promise<Set<bigint>> {
  return new Set((await db.query(OWNERS, [bigintArray(parties)])).map(({ party_id }) => BigInt(party_id)));
}

/** Those of the types that businesses have described themselves, each with its last change. */
export async function findChanges(db: Queryable, keys: readonly TypeKey[]): Promise<(TypeKey & { updatedAt: Date })[]> {
  const rows = await db.query(CHANGED, arraysOf(keys));
  return rows.flatMap(({ place, updated_at }) => keys.slice(place - 1, place).map((key) => ({ ...key, updatedAt: updated_at })));
}

/** Layouts as JSON text. */
export async function findLayouts(db: Queryable, keys: readonly TypeKey[]): Promise<(TypeKey & { layout: string })[]> {
  const rows = await db.query(LAYOUTS, arraysOf(keys));
  return rows.flatMap(({ place, layout }) => keys.slice(place - 1, place).map((key) => ({ ...key, layout })));
}

const arraysOf = (keys: readonly TypeKey[]) => [bigintArray(keys.map(({ partyId }) => partyId)), keys.map(({ type }) => type)];

const LOCK = statement('SELECT FROM parties WHERE id = $1 FOR NO KEY UPDATE');
const USED = statement(
  `SELECT count(*)::integer AS count, coalesce(sum(octet_length(schema) + octet_length(layout)), 0)::integer AS bytes
     FROM document_types WHERE party_id = $1 AND type <> $2`,
  { count: 'integer', bytes: 'integer' },
);

/** What other types use of the limits. Serializes the changes of a business, so that they can be counted. */
export async function lockAndCount(tx: Queryable, partyId: bigint, type: string): Promise<{ count: number; bytes: number }> {
  await tx.query(LOCK, [partyId]);
  return onlyRow(await tx.query(USED, [partyId, type]));
}

const SAVE = statement(
  `INSERT INTO document_types AS t (party_id, type, title, description, schema, layout, is_published, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, coalesce($7::boolean, false), $8::timestamptz)
   ON CONFLICT (party_id, type) DO UPDATE
      SET title = excluded.title, description = excluded.description, schema = excluded.schema, layout = excluded.layout,
          version = t.version + (t.schema <> excluded.schema)::integer, is_published = coalesce($7::boolean, t.is_published),
          updated_at = excluded.updated_at`,
);
const NOW = statement('SELECT clock_timestamp()::text AS now', { now: 'text' });

/** Reads the time first, because Citus does not compute it inside a change of a row. */
export async function saveType(tx: Queryable, partyId: bigint, type: string, given: NewType): Promise<OwnType> {
  const { now } = onlyRow(await tx.query(NOW));
  const { title, description, schema, layout, isPublished } = given;
  await tx.query(SAVE, [partyId, type, title, description, schema, layout, isPublished ?? null, now]);
  return toType(onlyRow(await tx.query(TYPE, [partyId, type])));
}

const DELETE = statement('DELETE FROM document_types WHERE party_id = $1 AND type = $2 RETURNING type', { type: 'text' });

export async function deleteType(tx: Queryable, partyId: bigint, type: string): Promise<boolean> {
  return (await tx.query(DELETE, [partyId, type])).length > 0;
}

function toHead(row: RowOf<typeof HEAD_ROW>): OwnTypeHead {
  const { type, title, description, version } = row;
  return { type, title, description, version, updatedAt: row.updated_at, isPublished: row.is_published };
}

function toType(row: RowOf<typeof ROW>): OwnType {
  return { ...toHead(row), schema: row.schema, layout: row.layout };
}
