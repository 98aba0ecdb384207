import { CONTACTS_SCANNED_MAX } from '../../contract/limits.ts';
import { foldCase } from '../../contract/names.ts';
import { POSITIONS_PER_MS } from '../../contract/positions.ts';
import { bigintArray } from '../../platform/postgres/binary-array.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, json, oneOf, type RowOf, statement, variants } from '../../platform/postgres/statement.ts';
import { PARTY_ROW } from '../parties/party-row.ts';

const CONTACT_ROW = columns({
  other_id: 'bigint',
  contact_id: 'uuid',
  saved_at: 'timestamptz?',
  archived: 'boolean',
  label: 'text',
  notes: 'text',
  first_seen_at: 'timestamptz?',
  last_seen_at: 'timestamptz?',
  last_direction: oneOf('ledger_box?', ['in', 'out']),
  messages_in: 'bigint',
  messages_out: 'bigint',
  ...PARTY_ROW,
});

export type ContactRow = RowOf<typeof CONTACT_ROW>;

const SELECTED = `SELECT c.other_id, c.id AS contact_id, c.saved_at, c.archived, c.label, c.notes, c.first_seen_at, c.last_seen_at, c.last_direction,
       c.messages_in, c.messages_out, p.handle, p.domain, p.email, p.display_name`;
const SELECT_CONTACTS = `${SELECTED} FROM contacts c JOIN parties p ON p.id = c.other_id`;

export const CONTACT_ORDERS = ['added', 'activity', 'name'] as const;
type Order = (typeof CONTACT_ORDERS)[number];

export interface ContactFilters {
  sort: Order;
  /** Case-folded. No character is a wildcard. */
  q?: string;
  saved?: boolean;
  archived: boolean;
  type?: string;
}

/**
 * The orders of lists. `walk` reads contacts in the order of an index. The place of a contact is unique in its list, and `after` takes the
 * parts of a place.
 */
const ORDERS = {
  added: {
    walk: { keys: '', from: 'contacts c', owner: 'c.party_id', order: 'c.id DESC', after: (id: string) => `c.id < ${id}` },
    place: 'c.id::text',
    order: 'c.id DESC',
  },
  activity: {
    walk: {
      keys: ', a.last_position AS key',
      from: 'contact_activity a JOIN contacts c ON c.party_id = a.party_id AND c.other_id = a.other_id',
      owner: 'a.party_id',
      order: 'a.last_position DESC, a.other_id DESC',
      after: (position: string, other: string) => `(a.last_position, a.other_id) < (${position}::bigint, ${other}::bigint)`,
    },
    place: `c.key || ' ' || c.other_id`,
    order: 'c.key DESC, c.other_id DESC',
  },
  name: {
    walk: {
      keys: ', n.name AS key',
      from: 'contact_names n JOIN contacts c ON c.party_id = n.party_id AND c.other_id = n.other_id',
      owner: 'n.party_id',
      order: 'n.name, n.other_id',
      after: (other: string, name: string) => `(n.name, n.other_id) > (${name}::text, ${other}::bigint)`,
    },
    place: `c.other_id || ' ' || c.key`,
    order: 'c.key, c.other_id',
  },
} as const;

/** Selects all contacts after the place. `first` is the number of the parameter with its first part. */
function behind(sort: Order, first: number | undefined): string {
  const { keys, from, owner, after } = ORDERS[sort].walk;
  const below = first === undefined ? '' : ` AND ${after(`$${first}`, `$${first + 1}`)}`;
  return `SELECT c.*${keys} FROM ${from} WHERE ${owner} = $1${below}`;
}

function walked(sort: Order, first: number | undefined): string {
  return `${behind(sort, first)} ORDER BY ${ORDERS[sort].walk.order}`;
}

/** Selects the contacts with the parties of an array. LATERAL with LIMIT 1 keeps every plan from scanning whole tables. */
function found(sort: Order, first: number | undefined, others: string): string {
  const each = `${behind(sort, first)} AND c.other_id = k.other_id LIMIT 1`;
  return `SELECT c.* FROM unnest(${others}::bigint[]) AS k (other_id) CROSS JOIN LATERAL (${each}) c ORDER BY ${ORDERS[sort].order}`;
}

/** q: `walked` compares the contacts that a page scans, and `found` takes those that FIND has returned. */
const CONTACTS = variants(
  { sort: CONTACT_ORDERS, saved: ['any', 'saved', 'unsaved'], type: [true, false], q: ['none', 'walked', 'found'], below: [true, false] },
  { ...CONTACT_ROW, place: 'text?' },
  ({ sort, saved, type, q, below }) => {
    const { place: placeOf, order } = ORDERS[sort];
    const conditions = ['c.archived = $2'];
    let place = 3;
    if (saved !== 'any') conditions.push(`c.saved_at IS ${saved === 'saved' ? 'NOT NULL' : 'NULL'}`);
    if (type)
      conditions.push(
        `EXISTS (SELECT FROM contact_types t WHERE t.party_id = c.party_id AND t.other_id = c.other_id AND t.type = $${++place})`,
      );
    const at = q === 'none' ? '' : `$${++place}`;
    if (q === 'walked')
      conditions.push(
        `(strpos(coalesce(p.handle, p.domain, p.email), ${at}) > 0 OR strpos(p.folded_name, ${at}) > 0 OR strpos(c.folded_label, ${at}) > 0)`,
      );
    const first = below ? place + 1 : undefined;
    const looked = q === 'found' ? found(sort, first, at) : `${walked(sort, first)} LIMIT ${CONTACTS_SCANNED_MAX}`;
    return `${SELECTED}, ${placeOf} AS place FROM (${looked}) c JOIN parties p ON p.id = c.other_id WHERE ${conditions.join(' AND ')} ORDER BY ${order} LIMIT $3`;
  },
);

const LAST_WALKED = variants(
  { sort: CONTACT_ORDERS, below: [true, false] },
  { place: 'text?' },
  ({ sort, below }) =>
    `SELECT ${ORDERS[sort].place} AS place FROM (${walked(sort, below ? 2 : undefined)} OFFSET ${CONTACTS_SCANNED_MAX - 1} LIMIT 1) c`,
);

const FIND = statement('SELECT find_contacts($1::bigint, $2::text)::text[] AS others', { others: 'text[]?' });

export type ListedContact = ContactRow & { place: string | null };

/**
 * The order is that of `sort`, after the given place. `walkedTo` is set if there may be more contacts after the scanned ones. Then `walked`
 * is how many were scanned in vain.
 */
export async function listContacts(
  db: Queryable,
  partyId: bigint,
  filters: ContactFilters,
  below: string | undefined,
  limit: number,
): Promise<{ rows: ListedContact[]; walkedTo: string | undefined; walked: number }> {
  const { sort, q, saved, archived, type } = filters;
  const place = partsOf(below);
  // A contact has the same place either way, so that a page of one kind can follow a page of the other.
  const others = q === undefined ? undefined : (onlyRow(await db.query(FIND, [partyId, q])).others ?? undefined);
  const contacts = CONTACTS.of({
    sort,
    saved: saved === undefined ? 'any' : saved ? 'saved' : 'unsaved',
    type: type !== undefined,
    q: q === undefined ? 'none' : others ? 'found' : 'walked',
    below: below !== undefined,
  });
  const rows = await db.query(contacts, [
    partyId,
    archived,
    limit,
    ...[type, others ?? q, ...place].filter((value) => value !== undefined),
  ]);
  if (others !== undefined || rows.length === limit) return { rows, walkedTo: undefined, walked: 0 };
  const [last] = await db.query(LAST_WALKED.of({ sort, below: below !== undefined }), [partyId, ...place]);
  return { rows, walkedTo: last?.place ?? undefined, walked: last ? CONTACTS_SCANNED_MAX - rows.length : 0 };
}

const TO_INDEX = statement('SELECT party_id FROM contact_names WHERE grams IS NULL GROUP BY party_id HAVING count(*) > $1', {
  party_id: 'bigint',
});

export async function partiesToIndex(db: Queryable, contacts: number): Promise<bigint[]> {
  return (await db.query(TO_INDEX, [contacts])).map(({ party_id }) => BigInt(party_id));
}

const INDEX = statement('SELECT index_contacts($1::bigint, $2::integer) AS written', { written: 'integer' });

/** Writes the grams by which searches find contacts, for at most `limit` contacts. Returns for how many. */
export async function indexContacts(db: Queryable, partyId: bigint, limit: number): Promise<number> {
  return onlyRow(await db.query(INDEX, [partyId, limit])).written;
}

/** A place has one or two parts. Names contain spaces, and stand last. */
function partsOf(place = ''): string[] {
  const [, first, second] = /^(\S+)(?: (.*))?$/s.exec(place) ?? [];
  return [first, second].filter((part) => part !== undefined);
}

const CONTACT = statement(`${SELECT_CONTACTS} WHERE c.party_id = $1 AND c.other_id = $2`, CONTACT_ROW);

export async function findContact(db: Queryable, partyId: bigint, otherId: bigint): Promise<ContactRow | undefined> {
  const [row] = await db.query(CONTACT, [partyId, otherId]);
  return row;
}

const SAVED_CONTACT = statement(`${SELECT_CONTACTS} WHERE c.party_id = $1 AND c.id = $2 AND c.saved_at IS NOT NULL`, CONTACT_ROW);

export async function findSaved(db: Queryable, partyId: bigint, id: string): Promise<ContactRow | undefined> {
  const [row] = await db.query(SAVED_CONTACT, [partyId, id]);
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

const INSERT_CONTACT = statement('INSERT INTO contacts (party_id, other_id, id) VALUES ($1, $2, new_uuid(now())) ON CONFLICT DO NOTHING');
const LOCK_CONTACT = statement('SELECT saved_at FROM contacts WHERE party_id = $1 AND other_id = $2 FOR UPDATE', {
  saved_at: 'timestamptz?',
});
const COUNT_ONE_MORE = statement(
  'INSERT INTO saved_contacts AS s (party_id, count) VALUES ($1, 1) ON CONFLICT (party_id) DO UPDATE SET count = s.count + 1',
);
const SAVE_CONTACT = statement(
  `UPDATE contacts c SET saved_at = coalesce(c.saved_at, $7), ${SET_CHANGE} WHERE c.party_id = $1 AND c.other_id = $2`,
);

const NOTE_SAVED = statement(
  `INSERT INTO contact_activity AS a (party_id, other_id, last_position) VALUES ($1, $2, $3)
   ON CONFLICT (party_id, other_id) DO UPDATE SET last_position = greatest(a.last_position, excluded.last_position)`,
);

const RENAME = statement('SELECT FROM rename_contact($1::bigint[], $2::bigint)');

/** Updates a contact's place in lists by name, for these owners, after its label or display name has changed. */
export async function renameContact(db: Queryable, ownerIds: readonly bigint[], otherId: bigint): Promise<void> {
  await db.query(RENAME, [bigintArray(ownerIds), otherId]);
}

const OWNERS = statement('SELECT party_id FROM contacts WHERE other_id = $1', { party_id: 'bigint' });

export async function ownersOf(db: Queryable, otherId: bigint): Promise<bigint[]> {
  return (await db.query(OWNERS, [otherId])).map(({ party_id }) => BigInt(party_id));
}

/** Saves a party, or unarchives it. Returns true when it was not saved before. */
export async function saveContact(tx: Queryable, partyId: bigint, otherId: bigint, change: ContactChange): Promise<boolean> {
  await tx.query(INSERT_CONTACT, [partyId, otherId]);
  const [before] = await tx.query(LOCK_CONTACT, [partyId, otherId]);
  const isNew = before?.saved_at === null;
  if (isNew) await tx.query(COUNT_ONE_MORE, [partyId]);
  const now = new Date();
  await tx.query(SAVE_CONTACT, [partyId, otherId, ...changeValues({ ...change, archived: false }), now]);
  if (isNew) await tx.query(NOTE_SAVED, [partyId, otherId, BigInt(now.getTime()) * POSITIONS_PER_MS]);
  if (isNew || change.label !== undefined) await renameContact(tx, [partyId], otherId);
  return isNew;
}

const COUNT_SAVED = statement('SELECT count FROM saved_contacts WHERE party_id = $1', { count: 'integer' });

/** Counts the saved contacts. Other saves wait until a transaction that saves one has ended. */
export async function countSaved(db: Queryable, partyId: bigint): Promise<number> {
  const [row] = await db.query(COUNT_SAVED, [partyId]);
  return row?.count ?? 0;
}

const CHANGE_SAVED = statement(
  `UPDATE contacts c SET ${SET_CHANGE} WHERE c.party_id = $1 AND c.id = $2 AND c.saved_at IS NOT NULL RETURNING c.other_id`,
  { other_id: 'bigint' },
);

export async function changeSaved(tx: Queryable, partyId: bigint, id: string, change: ContactChange): Promise<boolean> {
  const [changed] = await tx.query(CHANGE_SAVED, [partyId, id, ...changeValues(change)]);
  if (changed && change.label !== undefined) await renameContact(tx, [partyId], BigInt(changed.other_id));
  return changed !== undefined;
}

export interface Seen {
  types: string[];
  actors: { kind: string; name: string; email: string | null }[];
}

const SEEN = statement(
  `SELECT k.other_id,
          ARRAY(SELECT t.type FROM contact_types t WHERE t.party_id = $1 AND t.other_id = k.other_id ORDER BY t.type LIMIT $3) AS types,
          (SELECT coalesce(json_agg(json_build_object('kind', a.kind, 'name', a.name, 'email', a.email)), '[]')
             FROM (SELECT kind, name, email FROM contact_actors WHERE party_id = $1 AND other_id = k.other_id ORDER BY actor_id LIMIT $3) a) AS actors
     FROM unnest($2::bigint[]) AS k (other_id)`,
  { other_id: 'bigint', types: 'text[]', actors: json<Seen['actors']>() },
);

/** Reads at most `limit` items of each kind. Key: party id. */
export async function seenOf(db: Queryable, partyId: bigint, otherIds: readonly bigint[], limit: number): Promise<Map<string, Seen>> {
  const rows = await db.query(SEEN, [partyId, bigintArray(otherIds), limit]);
  return new Map(rows.map(({ other_id, types, actors }) => [other_id, { types, actors }]));
}
