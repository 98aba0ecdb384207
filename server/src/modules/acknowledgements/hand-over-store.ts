import { HAND_OVER_WAYS, type HandOverWay } from '../../contract/acknowledgements.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import { oneOf, prepared } from '../../platform/postgres/statement.ts';

/** A hand-over says that a system of the recipient took a message, but not what becomes of the message. */
interface HandOver {
  way: HandOverWay;
  at: Date;
}

const HAND_OVER = prepared('hand-over', 'SELECT way, handed_over_at FROM hand_overs WHERE party_id = $1 AND message_id = $2', {
  way: oneOf('hand_over_way', HAND_OVER_WAYS),
  handed_over_at: 'timestamptz',
});
const RECIPIENT = prepared(
  'recipient-of-entry',
  `SELECT CASE box WHEN 'in' THEN party_id ELSE counterparty_id END AS recipient_id
     FROM ledger_entries WHERE party_id = $1 AND message_id = $2 ORDER BY box LIMIT 1`,
  { recipient_id: 'bigint' },
);

export async function findHandOver(database: Database, partyId: bigint, messageId: string): Promise<HandOver | undefined> {
  const [entry] = await database.of(partyId).query(RECIPIENT, [partyId, messageId]);
  const recipientId = entry && BigInt(entry.recipient_id);
  return recipientId === undefined ? undefined : handOverIn(database.of(recipientId), recipientId, messageId);
}

async function handOverIn(db: Queryable, recipientId: bigint, messageId: string): Promise<HandOver | undefined> {
  const [row] = await db.query(HAND_OVER, [recipientId, messageId]);
  return row && { way: row.way, at: row.handed_over_at };
}
