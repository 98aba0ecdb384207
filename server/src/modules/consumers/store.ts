import { bigintArray } from '../../platform/postgres/binary-array.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import { columns, json, namesOf, oneOf, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';

const VALIDATIONS = ['passed', 'failed', 'not_applicable'] as const;
export type Validation = (typeof VALIDATIONS)[number];

interface Filter {
  target: string | null;
  /** SQL LIKE patterns. */
  types: string[] | null;
  validation: Validation | null;
}

export interface Settings {
  filter: Filter;
  isOrdered: boolean;
  maxTries: number;
}

export interface Consumer extends Settings {
  name: string;
  id: string;
  takenThrough: string;
  createdAt: Date;
}

const CONSUMER_ROW = columns({
  name: 'text',
  id: 'uuid',
  target: 'text?',
  types: 'text[]?',
  validation: oneOf('validation_status?', VALIDATIONS),
  is_ordered: 'boolean',
  max_tries: 'integer',
  taken_through: 'bigint',
  created_at: 'timestamptz',
});
const CONSUMER_COLUMNS = namesOf(CONSUMER_ROW);

function toConsumer(row: RowOf<typeof CONSUMER_ROW>): Consumer {
  const { name, id, target, types, validation, is_ordered: isOrdered, max_tries: maxTries, taken_through: takenThrough } = row;
  return { name, id, filter: { target, types, validation }, isOrdered, maxTries, takenThrough, createdAt: row.created_at };
}

const LOCK_CONSUMERS = statement('SELECT FROM parties WHERE id = $1 FOR NO KEY UPDATE');
const COUNT = statement('SELECT count(*)::integer AS count FROM consumers WHERE party_id = $1', { count: 'integer' });

/** Returns the number of consumers. None can be added before the transaction ends. */
export async function lockConsumers(tx: Queryable, partyId: bigint): Promise<number> {
  await tx.query(LOCK_CONSUMERS, [partyId]);
  const [row] = await tx.query(COUNT, [partyId]);
  return row?.count ?? 0;
}

const HEAD = prepared('consumer-ledger-head', 'SELECT head FROM ledgers WHERE party_id = $1', { head: 'bigint' });

export async function headOf(db: Queryable, partyId: bigint): Promise<bigint> {
  const [row] = await db.query(HEAD, [partyId]);
  return BigInt(row?.head ?? 0);
}

const INSERT = statement(
  `INSERT INTO consumers (party_id, name, id, target, types, validation, is_ordered, max_tries, taken_through, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING ${CONSUMER_COLUMNS}`,
  CONSUMER_ROW,
);

export async function insertConsumer(tx: Queryable, partyId: bigint, consumer: Omit<Consumer, 'createdAt'>): Promise<Consumer | undefined> {
  const { name, id, filter, isOrdered, maxTries, takenThrough } = consumer;
  const values = [filter.target, filter.types, filter.validation, isOrdered, maxTries, takenThrough, new Date()];
  const [row] = await tx.query(INSERT, [partyId, name, id, ...values]);
  return row && toConsumer(row);
}

const UPDATE = statement(
  `UPDATE consumers SET target = $3, types = $4, validation = $5, max_tries = $6 WHERE party_id = $1 AND name = $2 RETURNING ${CONSUMER_COLUMNS}`,
  CONSUMER_ROW,
);

/** Changes all settings but `isOrdered`. */
export async function updateConsumer(tx: Queryable, partyId: bigint, name: string, settings: Settings): Promise<Consumer | undefined> {
  const { filter, maxTries } = settings;
  const [row] = await tx.query(UPDATE, [partyId, name, filter.target, filter.types, filter.validation, maxTries]);
  return row && toConsumer(row);
}

const ONE = prepared('consumer', `SELECT ${CONSUMER_COLUMNS} FROM consumers WHERE party_id = $1 AND name = $2`, CONSUMER_ROW);

export async function findConsumer(db: Queryable, partyId: bigint, name: string): Promise<Consumer | undefined> {
  const [row] = await db.query(ONE, [partyId, name]);
  return row && toConsumer(row);
}

const LIST = statement(
  `SELECT ${CONSUMER_COLUMNS} FROM consumers WHERE party_id = $1 AND ($2::text IS NULL OR name > $2) ORDER BY name LIMIT $3`,
  CONSUMER_ROW,
);

export async function listConsumers(db: Queryable, partyId: bigint, afterName: string | null, limit: number): Promise<Consumer[]> {
  return (await db.query(LIST, [partyId, afterName, limit])).map(toConsumer);
}

const LOCK = statement('SELECT id FROM consumers WHERE party_id = $1 AND name = $2 FOR UPDATE', { id: 'uuid' });
const DELETE_MESSAGES = statement('DELETE FROM consumer_messages WHERE party_id = $1 AND consumer_id = $2');
const DELETE = statement('DELETE FROM consumers WHERE party_id = $1 AND name = $2');

export function deleteConsumer(database: Database, partyId: bigint, name: string): Promise<boolean> {
  return database.of(partyId).transaction(async (tx) => {
    const [consumer] = await tx.query(LOCK, [partyId, name]);
    if (!consumer) return false;
    await tx.query(DELETE_MESSAGES, [partyId, consumer.id]);
    await tx.query(DELETE, [partyId, name]);
    return true;
  });
}

interface Holding {
  holder: string;
  leased: number;
  lease_until: string;
}

const STATE = columns({
  lag: 'integer',
  leased: 'integer',
  parked: 'integer',
  oldest: 'bigint?',
  holders: json<Holding[]>('json'),
});

const OF_CONSUMER = 'm.party_id = $1 AND m.consumer_id = $2';

const STATE_OF = prepared(
  'consumer-state',
  `WITH ahead AS MATERIALIZED (
     SELECT e.position, (($4::text IS NULL OR e.segment = $4) AND ($5::text[] IS NULL OR e.type LIKE ANY ($5))
                         AND ($6::validation_status IS NULL OR e.validation = $6)) IS TRUE AS matches
       FROM (SELECT * FROM ledger_entries WHERE party_id = $1 AND box = 'in' AND position > $3 ORDER BY position LIMIT $7) e
   ), leases AS MATERIALIZED (
     SELECT m.holder, m.due_at FROM consumer_messages m WHERE ${OF_CONSUMER} AND m.state = 'leased' AND m.due_at > now() LIMIT $7
   )
   SELECT (SELECT count(*) FROM ahead a WHERE a.matches)::integer AS lag,
          (SELECT count(*) FROM leases)::integer AS leased,
          (SELECT count(*) FROM (SELECT 1 FROM consumer_messages m WHERE ${OF_CONSUMER} AND m.state = 'parked' LIMIT $7) p)::integer AS parked,
          coalesce((SELECT min(m.position) FROM consumer_messages m WHERE ${OF_CONSUMER} AND m.state <> 'parked'),
                   (SELECT min(a.position) FROM ahead a WHERE a.matches)) AS oldest,
          (SELECT coalesce(json_agg(h ORDER BY h.holder), '[]')
             FROM (SELECT l.holder, count(*) AS leased, to_char(max(l.due_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS lease_until
                     FROM leases l GROUP BY l.holder) h) AS holders`,
  STATE,
);

export interface ConsumerState {
  /** The messages that nobody has taken, the leased ones and the parked ones, each counted up to the limit. */
  lag: number;
  leased: number;
  parked: number;
  /** The position of the oldest message that is neither acknowledged nor parked. */
  oldest: bigint | undefined;
  holders: Holding[];
}

export async function stateOf(db: Queryable, partyId: bigint, consumer: Consumer, countMax: number): Promise<ConsumerState> {
  const { id, takenThrough, filter } = consumer;
  const values = [partyId, id, takenThrough, filter.target, filter.types, filter.validation, countMax];
  const [row] = await db.query(STATE_OF, values);
  if (row === undefined) throw new Error('an aggregate returned no row');
  return { ...row, oldest: row.oldest === null ? undefined : BigInt(row.oldest) };
}

export interface ParkedMessage {
  messageId: string;
  tries: number;
  reason: string | null;
  parkedAt: Date;
}

const PARKED = statement(
  `SELECT m.message_id, m.tries, m.reason, m.due_at FROM consumer_messages m
    WHERE ${OF_CONSUMER} AND m.state = 'parked' AND ($3::uuid IS NULL OR m.message_id > $3) ORDER BY m.message_id LIMIT $4`,
  { message_id: 'uuid', tries: 'integer', reason: 'text?', due_at: 'timestamptz' },
);

export async function listParked(
  db: Queryable,
  partyId: bigint,
  consumerId: string,
  afterId: string | null,
  limit: number,
): Promise<ParkedMessage[]> {
  const rows = await db.query(PARKED, [partyId, consumerId, afterId, limit]);
  return rows.map(({ message_id: messageId, tries, reason, due_at: parkedAt }) => ({ messageId, tries, reason, parkedAt }));
}

const GROWN = prepared(
  'awaited-ledgers-grown',
  `SELECT w.party_id, l.head
     FROM unnest($1::bigint[], $2::bigint[]) AS w (party_id, seen),
          LATERAL (SELECT head FROM ledgers WHERE party_id = w.party_id AND head > w.seen LIMIT 1) l`,
  { party_id: 'bigint', head: 'bigint' },
);

export async function findGrown(
  db: Queryable,
  seen: readonly { partyId: bigint; seen: bigint }[],
): Promise<{ partyId: bigint; head: bigint }[]> {
  const rows = await db.query(GROWN, [bigintArray(seen.map(({ partyId }) => partyId)), bigintArray(seen.map((one) => one.seen))]);
  return rows.map(({ party_id, head }) => ({ partyId: BigInt(party_id), head: BigInt(head) }));
}
