import { HAND_OVER_WAYS, type HandOverWay } from '../../contract/acknowledgements.ts';
import { bigintArray, uuidArray } from '../../platform/postgres/binary-array.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { oneOf, prepared, statement } from '../../platform/postgres/statement.ts';
import type { ChainedMessage, LinkRow } from './chain.ts';

/** A message in the inbox of a party. */
export interface Received {
  partyId: bigint;
  messageId: string;
}

export interface LockedMessage extends ChainedMessage {
  partyId: bigint;
  receivedAt: Date;
  /** Null if the leaf of the message is in another shard. */
  messageBatch: string | null;
  /** The first hand-over, if it has no number yet. */
  noted: { way: HandOverWay; at: Date } | undefined;
  now: Date;
}

const keysOf = (messages: readonly Received[]) => [
  bigintArray(messages.map(({ partyId }) => partyId)),
  uuidArray(messages.map(({ messageId }) => messageId)),
];

const LOCK = prepared('lock-chains', 'SELECT * FROM lock_chains($1::bigint[], $2::uuid[])', {
  party_id: 'bigint',
  message_id: 'uuid',
  content_hash: 'bytea',
  recipient: 'text',
  received_at: 'timestamptz',
  expires_at: 'text?',
  message_batch: 'uuid?',
  way: oneOf('hand_over_way?', HAND_OVER_WAYS),
  handed_over_at: 'timestamptz?',
  clock: 'timestamptz',
});

/** Serializes what is said of messages. Leaves out those that are not in the inbox of the party. */
export async function lockMessages(tx: Queryable, messages: readonly Received[]): Promise<LockedMessage[]> {
  return (await tx.query(LOCK, keysOf(messages))).map((row) => ({
    partyId: BigInt(row.party_id),
    id: row.message_id,
    contentHash: row.content_hash,
    recipient: row.recipient,
    expiresAt: row.expires_at,
    receivedAt: row.received_at,
    messageBatch: row.message_batch,
    noted: row.way !== null && row.handed_over_at !== null ? { way: row.way, at: row.handed_over_at } : undefined,
    now: row.clock,
  }));
}

const READ = prepared('read-chains', 'SELECT * FROM read_chains($1::bigint[], $2::uuid[])', {
  party_id: 'bigint',
  message_id: 'uuid',
  number: 'smallint',
  said_at: 'timestamptz?',
  way: oneOf('hand_over_way?', HAND_OVER_WAYS),
  statement: 'text?',
  log_batch: 'uuid',
  log_slot: 'smallint',
});

/** Returns the rows about each message, in the order of their numbers. Key: keyOf. */
export async function readLinks(db: Queryable, messages: readonly Received[]): Promise<Map<string, LinkRow[]>> {
  const rows = await db.query(READ, keysOf(messages));
  const read = rows.map((row) => ({
    key: `${row.party_id} ${row.message_id}`,
    link: {
      number: row.number,
      saidAt: row.said_at,
      way: row.way,
      statement: row.statement,
      logBatch: row.log_batch,
      logSlot: row.log_slot,
    },
  }));
  return new Map([...Map.groupBy(read, ({ key }) => key)].map(([key, of]) => [key, of.map(({ link }) => link)]));
}

export function keyOf({ partyId, messageId }: Received): string {
  return `${partyId} ${messageId}`;
}

const LOG = statement('SELECT log_leaves($1::bytea, $2::timestamptz) AS batch', { batch: 'uuid' });

export async function logLeaves(tx: Queryable, leaves: readonly Buffer[], batchTime: Date): Promise<string> {
  return onlyRow(await tx.query(LOG, [Buffer.concat(leaves), batchTime])).batch;
}

export interface NumberedHandOver extends Received {
  way: HandOverWay;
  at: Date;
  number: number;
}

const INSERT_HAND_OVERS = statement(
  `INSERT INTO hand_overs (party_id, message_id, way, handed_over_at, number, log_batch, log_slot)
   SELECT h.party_id, h.message_id, h.way, h.handed_over_at, h.number, $6::uuid, h.place - 1
     FROM unnest($1::bigint[], $2::uuid[], $3::hand_over_way[], $4::timestamptz[], $5::smallint[])
          WITH ORDINALITY AS h (party_id, message_id, way, handed_over_at, number, place)`,
);

/** Hand-over n is leaf n of the batch. */
export async function insertHandOvers(tx: Queryable, handOvers: readonly NumberedHandOver[], logBatch: string): Promise<void> {
  const [ways, times, numbers] = [handOvers.map(({ way }) => way), handOvers.map(({ at }) => at), handOvers.map(({ number }) => number)];
  await tx.query(INSERT_HAND_OVERS, [...keysOf(handOvers), ways, times, numbers, logBatch]);
}

const NOTED = prepared(
  'noted-hand-overs',
  `SELECT party_id, message_id FROM noted_hand_overs WHERE (party_id, message_id) > ($1::bigint, $2::uuid)
    ORDER BY party_id, message_id LIMIT $3`,
  { party_id: 'bigint', message_id: 'uuid' },
);

export async function findNoted(db: Queryable, after: Received, limit: number): Promise<Received[]> {
  const rows = await db.query(NOTED, [after.partyId, after.messageId, limit]);
  return rows.map((row) => ({ partyId: BigInt(row.party_id), messageId: row.message_id }));
}

const TAKE_TURN = statement(`SELECT pg_try_advisory_xact_lock(hashtextextended('hand-overs ' || shard_name(), 0)) AS is_mine`, {
  is_mine: 'boolean',
});

/** Returns false while another worker numbers the hand-overs of this shard: several would only wait for each other. */
export async function takeTurn(tx: Queryable): Promise<boolean> {
  return onlyRow(await tx.query(TAKE_TURN)).is_mine;
}
