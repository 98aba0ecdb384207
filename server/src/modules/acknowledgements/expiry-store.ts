import type { Queryable } from '../../platform/postgres/postgres.ts';
import { prepared, statement } from '../../platform/postgres/statement.ts';

export interface Expiry {
  senderId: bigint;
  messageId: string;
}

const DUE = prepared(
  'expiries-due',
  'SELECT sender_id, message_id FROM expiries WHERE due_at <= now() - make_interval(secs => $1) ORDER BY due_at LIMIT $2',
  { sender_id: 'bigint', message_id: 'uuid' },
);

/** Those whose time has been over for so long. */
export async function findDue(db: Queryable, forS: number, limit: number): Promise<Expiry[]> {
  return (await db.query(DUE, [forS, limit])).map((row) => ({ senderId: BigInt(row.sender_id), messageId: row.message_id }));
}

const END = statement('DELETE FROM expiries WHERE sender_id = $1 AND message_id = $2 RETURNING message_id', { message_id: 'uuid' });

/** Returns false if another worker has dealt with it. */
export async function endExpiry(tx: Queryable, { senderId, messageId }: Expiry): Promise<boolean> {
  return (await tx.query(END, [senderId, messageId])).length > 0;
}

const POSTPONE = statement('UPDATE expiries SET due_at = now() + make_interval(secs => $3) WHERE sender_id = $1 AND message_id = $2');

export async function postpone(db: Queryable, { senderId, messageId }: Expiry, byS: number): Promise<void> {
  await db.query(POSTPONE, [senderId, messageId, byS]);
}

const INSERT = statement('INSERT INTO non_deliveries (party_id, message_id, noted_at, number, log_batch) VALUES ($1, $2, $3, $4, $5)');

export async function insertNonDelivery(
  tx: Queryable,
  recipientId: bigint,
  messageId: string,
  { at, number, logBatch }: { at: Date; number: number; logBatch: string },
): Promise<void> {
  await tx.query(INSERT, [recipientId, messageId, at, number, logBatch]);
}
