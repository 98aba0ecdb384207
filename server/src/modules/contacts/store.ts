import { foldCase } from '../../contract/names.ts';
import { bigintArray } from '../../platform/binary-array.ts';
import type { Queryable } from '../../platform/postgres.ts';
import type { PartyRow } from '../parties/party-row.ts';

export interface ContactRow extends PartyRow {
  other_id: string;
  contact_id: string;
  saved_at: Date | null;
  archived: boolean;
  label: string;
  notes: string;
  first_seen_at: Date | null;
  last_seen_at: Date | null;
  last_direction: 'in' | 'out' | null;
  messages_in: string;
  messages_out: string;
  [column: string]: unknown;
}

const SELECT_CONTACTS = `SELECT c.other_id, c.id AS contact_id, c.saved_at, c.archived, c.label, c.notes, c.first_seen_at, c.last_seen_at, c.last_direction,
       c.messages_in, c.messages_out, p.handle, p.domain, p.email, p.display_name
  FROM contacts c JOIN parties p ON p.id = c.other_id`;

export interface ContactFilters {
  /** With its case folded; every character stands for itself. */
  q?: string;
  saved?: boolean;
  archived: boolean;
  type?: string;
}

/** Newest first, below the given id. */
export async function listContacts(
  db: Queryable,
  partyId: bigint,
  filters: ContactFilters,
  belowId: string | undefined,
  limit: number,
): Promise<ContactRow[]> {
  const values: unknown[] = [partyId, filters.archived];
  const conditions = ['c.party_id = $1', 'c.archived = $2'];
  const where = (condition: (place: string) => string, value: unknown) => conditions.push(condition(`$${values.push(value)}`));
  if (filters.saved !== undefined) conditions.push(`c.saved_at IS ${filters.saved ? 'NOT NULL' : 'NULL'}`);
  if (filters.type !== undefined)
    where(
      (type) => `EXISTS (SELECT FROM contact_types t WHERE t.party_id = c.party_id AND t.other_id = c.other_id AND t.type = ${type})`,
      filters.type,
    );
  if (filters.q !== undefined)
    where(
      (q) =>
        `(strpos(coalesce(p.handle, p.domain, p.email), ${q}) > 0 OR strpos(p.folded_name, ${q}) > 0 OR strpos(c.folded_label, ${q}) > 0)`,
      filters.q,
    );
  if (belowId !== undefined) where((id) => `c.id < ${id}`, belowId);
  return db.query<ContactRow>(`${SELECT_CONTACTS} WHERE ${conditions.join(' AND ')} ORDER BY c.id DESC LIMIT ${Math.trunc(limit)}`, values);
}

export async function findContact(db: Queryable, partyId: bigint, otherId: bigint): Promise<ContactRow | undefined> {
  const [row] = await db.query<ContactRow>(`${SELECT_CONTACTS} WHERE c.party_id = $1 AND c.other_id = $2`, [partyId, otherId]);
  return row;
}

export async function findSaved(db: Queryable, partyId: bigint, id: string): Promise<ContactRow | undefined> {
  const [row] = await db.query<ContactRow>(`${SELECT_CONTACTS} WHERE c.party_id = $1 AND c.id = $2 AND c.saved_at IS NOT NULL`, [
    partyId,
    id,
  ]);
  return row;
}

export interface ContactChange {
  label?: string;
  notes?: string;
  archived?: boolean;
}

const SET_CHANGE = `label = coalesce($3, c.label), folded_label = coalesce($4, c.folded_label), notes = coalesce($5, c.notes), archived = coalesce($6, c.archived)`;

function changeValues({ label, notes, archived }: ContactChange): unknown[] {
  return [label ?? null, label === undefined ? null : foldCase(label), notes ?? null, archived ?? null];
}

/** Saves a party, or saves it again, which takes it out of the archive. True when it was not saved before. */
export async function saveContact(tx: Queryable, partyId: bigint, otherId: bigint, change: ContactChange): Promise<boolean> {
  await tx.query(`INSERT INTO contacts (party_id, other_id, id) VALUES ($1, $2, new_uuid(now())) ON CONFLICT DO NOTHING`, [
    partyId,
    otherId,
  ]);
  const [before] = await tx.query<{ saved_at: Date | null }>(
    'SELECT saved_at FROM contacts WHERE party_id = $1 AND other_id = $2 FOR UPDATE',
    [partyId, otherId],
  );
  const isNew = before?.saved_at === null;
  if (isNew)
    await tx.query(
      'INSERT INTO saved_contacts AS s (party_id, count) VALUES ($1, 1) ON CONFLICT (party_id) DO UPDATE SET count = s.count + 1',
      [partyId],
    );
  await tx.query(`UPDATE contacts c SET saved_at = coalesce(c.saved_at, now()), ${SET_CHANGE} WHERE c.party_id = $1 AND c.other_id = $2`, [
    partyId,
    otherId,
    ...changeValues({ ...change, archived: false }),
  ]);
  return isNew;
}

/** How many contacts the business has saved. In the transaction of a save, others have to wait until it ends. */
export async function countSaved(db: Queryable, partyId: bigint): Promise<number> {
  const [row] = await db.query<{ count: number }>('SELECT count FROM saved_contacts WHERE party_id = $1', [partyId]);
  return row?.count ?? 0;
}

export async function changeSaved(db: Queryable, partyId: bigint, id: string, change: ContactChange): Promise<boolean> {
  const rows = await db.query(
    `UPDATE contacts c SET ${SET_CHANGE} WHERE c.party_id = $1 AND c.id = $2 AND c.saved_at IS NOT NULL RETURNING c.id`,
    [partyId, id, ...changeValues(change)],
  );
  return rows.length > 0;
}

export interface Seen {
  types: string[];
  actors: { kind: string; name: string; email: string | null }[];
}

/** What was seen of these parties, at most so many of each, by the party's id. */
export async function seenOf(db: Queryable, partyId: bigint, otherIds: readonly bigint[], limit: number): Promise<Map<string, Seen>> {
  const rows = await db.query<{ other_id: string; types: string[]; actors: Seen['actors'] }>(
    `SELECT k.other_id,
            ARRAY(SELECT t.type FROM contact_types t WHERE t.party_id = $1 AND t.other_id = k.other_id ORDER BY t.type LIMIT $3) AS types,
            (SELECT coalesce(json_agg(json_build_object('kind', a.kind, 'name', a.name, 'email', a.email)), '[]')
               FROM (SELECT kind, name, email FROM contact_actors WHERE party_id = $1 AND other_id = k.other_id ORDER BY actor_id LIMIT $3) a) AS actors
       FROM unnest($2::bigint[]) AS k (other_id)`,
    [partyId, bigintArray(otherIds), limit],
  );
  return new Map(rows.map(({ other_id, types, actors }) => [other_id, { types, actors }]));
}
