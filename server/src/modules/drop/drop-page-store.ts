import type { Queryable } from '../../platform/postgres/postgres.ts';
import { columns, namesOf, type RowOf, statement } from '../../platform/postgres/statement.ts';

const ROW = columns({ welcome: 'text', accent: 'text?', logo_hash: 'text?' });

type DropPageRow = RowOf<typeof ROW>;

const FIND = statement(`SELECT ${namesOf(ROW)} FROM drop_pages WHERE party_id = $1`, ROW);

export async function findDropPage(db: Queryable, partyId: bigint): Promise<DropPageRow | undefined> {
  const [row] = await db.query(FIND, [partyId]);
  return row;
}

const ADD = statement('INSERT INTO drop_pages (party_id) VALUES ($1) ON CONFLICT DO NOTHING');
const SET_WELCOME = statement('UPDATE drop_pages SET welcome = $2 WHERE party_id = $1');
const SET_ACCENT = statement('UPDATE drop_pages SET accent = $2 WHERE party_id = $1');
const SET_LOGO = statement('UPDATE drop_pages SET logo = $2, logo_type = $3, logo_hash = $4 WHERE party_id = $1');

export interface DropPageValues {
  welcome?: string;
  accent?: string | null;
  logo?: Logo | null;
}

export interface Logo {
  bytes: Buffer;
  type: string;
  hash: string;
}

/** Leaves missing values unchanged: another request may be changing them. */
export async function saveDropPage(tx: Queryable, partyId: bigint, { welcome, accent, logo }: DropPageValues): Promise<void> {
  await tx.query(ADD, [partyId]);
  if (welcome !== undefined) await tx.query(SET_WELCOME, [partyId, welcome]);
  if (accent !== undefined) await tx.query(SET_ACCENT, [partyId, accent]);
  if (logo !== undefined) await tx.query(SET_LOGO, [partyId, logo?.bytes ?? null, logo?.type ?? null, logo?.hash ?? null]);
}

const LOGO = statement('SELECT logo, logo_type, logo_hash FROM drop_pages WHERE party_id = $1 AND logo IS NOT NULL', {
  logo: 'bytea!',
  logo_type: 'text!',
  logo_hash: 'text!',
});

export async function findLogo(db: Queryable, partyId: bigint): Promise<Logo | undefined> {
  const [row] = await db.query(LOGO, [partyId]);
  return row && { bytes: row.logo, type: row.logo_type, hash: row.logo_hash };
}
