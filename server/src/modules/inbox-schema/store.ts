import type { Queryable } from '../../platform/postgres.ts';

export interface StoredSchema {
  /** As it was sent. */
  text: string;
  updatedAt: Date;
  version: string;
}

interface SchemaRow {
  schema: string;
  updated_at: Date;
  version: string;
  [column: string]: unknown;
}

const VERSION = '(extract(epoch FROM updated_at) * 1000000)::bigint::text AS version';

export async function findSchema(db: Queryable, partyId: bigint): Promise<StoredSchema | undefined> {
  const [row] = await db.query<SchemaRow>(`SELECT schema, updated_at, ${VERSION} FROM inbox_schemas WHERE party_id = $1`, [partyId]);
  return row && toSchema(row);
}

/** The version alone: schemas are large, and hardly any send needs the text. */
export async function findVersion(db: Queryable, partyId: bigint): Promise<string | undefined> {
  const [row] = await db.query<{ version: string }>(
    { name: 'inbox-schema-version', text: `SELECT ${VERSION} FROM inbox_schemas WHERE party_id = $1` },
    [partyId],
  );
  return row?.version;
}

export async function hasAny(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>('SELECT EXISTS (SELECT FROM inbox_schemas) AS found');
  return row?.found === true;
}

export async function saveSchema(tx: Queryable, partyId: bigint, text: string): Promise<StoredSchema> {
  const [row] = await tx.query<SchemaRow>(
    `INSERT INTO inbox_schemas AS old (party_id, schema, updated_at) VALUES ($1, $2, clock_timestamp())
     ON CONFLICT (party_id) DO UPDATE
     SET schema = excluded.schema, updated_at = greatest(clock_timestamp(), old.updated_at + interval '1 microsecond')
     RETURNING schema, updated_at, ${VERSION}`,
    [partyId, text],
  );
  return toSchema(row as SchemaRow);
}

export async function deleteSchema(tx: Queryable, partyId: bigint): Promise<void> {
  await tx.query('DELETE FROM inbox_schemas WHERE party_id = $1', [partyId]);
}

function toSchema(row: SchemaRow): StoredSchema {
  return { text: row.schema, updatedAt: row.updated_at, version: row.version };
}
