import { bigintArray, uuidArray } from '../../platform/postgres/binary-array.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { columns, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';
import type { PreparedMessage } from './envelope.ts';
import { MESSAGE_COLUMNS, MESSAGE_ROW, toMessage } from './store.ts';

export interface RelayKey {
  senderId: bigint;
  messageId: string;
}

export interface HalfMessage {
  message: Omit<PreparedMessage, 'files'>;
  fileCount: number;
  receivedMs: number;
  contentHash: Buffer;
}

const RELAY_ROW = columns({
  ...MESSAGE_ROW,
  sender_id: 'bigint',
  segment: 'text?',
  from_email: 'text?',
  from_domain: 'text?',
});

const selectRelays = (relays: string) => `SELECT ${MESSAGE_COLUMNS}, m.sender_id, m.segment, e.from_email, e.from_domain
    FROM ${relays} r JOIN messages m ON m.sender_id = r.sender_id AND m.id = r.message_id
    LEFT JOIN ledger_entries e ON e.party_id = r.sender_id AND e.message_id = r.message_id AND e.box = 'out'`;

const OLD_RELAYS = statement(
  `WITH ranked AS MATERIALIZED (
     SELECT sender_id, message_id, row_number() OVER (PARTITION BY recipient_id & ($3::bigint - 1) ORDER BY created_at) AS place
       FROM relays WHERE created_at < now() - make_interval(secs => $1))
   ${selectRelays('(SELECT sender_id, message_id FROM ranked WHERE place <= $2)')}`,
  RELAY_ROW,
);

/**
 * Finds messages that were committed `ageS` seconds ago and are not known to be in their recipients' ledgers. Takes the oldest for each
 * shard of recipients, so that none waits for another that can't be reached.
 */
export async function findOldRelays(db: Queryable, ageS: number, limit: number, shards: number): Promise<HalfMessage[]> {
  return (await db.query(OLD_RELAYS, [ageS, limit, shards])).map(toHalfMessage);
}

const RELAY = statement(`${selectRelays('relays')} WHERE r.sender_id = $1 AND r.message_id = $2`, RELAY_ROW);

/** Returns undefined when the message is in both ledgers. */
export async function findRelay(db: Queryable, { senderId, messageId }: RelayKey): Promise<HalfMessage | undefined> {
  const [row] = await db.query(RELAY, [senderId, messageId]);
  return row && toHalfMessage(row);
}

function toHalfMessage(row: RowOf<typeof RELAY_ROW>): HalfMessage {
  const { fileCount, receivedMs, contentHash, ...stored } = toMessage(row);
  const message = {
    ...stored,
    json: row.json === null ? null : Buffer.from(row.json),
    senderId: BigInt(row.sender_id),
    segment: row.segment,
    isToBusiness: JSON.parse(row.recipient).party.kind === 'handle',
    fromEmail: row.from_email,
    fromDomain: row.from_domain,
    // Only the sender's half needs these.
    hashedBeforeTime: '',
    hashedAfterTime: '',
    inlineBytes: 0,
  };
  return { message, fileCount, receivedMs, contentHash };
}

const DELETE_RELAYS = prepared(
  'delete-relays',
  `DELETE FROM relays r USING unnest($1::bigint[], $2::uuid[]) AS k (sender_id, message_id)
    WHERE r.sender_id = k.sender_id AND r.message_id = k.message_id`,
);

export async function deleteRelays(db: Queryable, keys: readonly RelayKey[]): Promise<void> {
  await db.query(DELETE_RELAYS, [bigintArray(keys.map(({ senderId }) => senderId)), uuidArray(keys.map(({ messageId }) => messageId))]);
}
