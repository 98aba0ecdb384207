import type { Queryable } from '../../platform/postgres.ts';

export interface AnswerEntry {
  threadId: string;
  inReplyTo: string | null;
  businessId: bigint;
  /** Of whoever wrote first in what the party's ledger has of the thread. */
  email: string | null;
}

/** What came to a party without a handle, if it is still there. */
export async function findAnswer(db: Queryable, partyId: bigint, messageId: string): Promise<AnswerEntry | undefined> {
  const [row] = await db.query<{ thread_id: string; in_reply_to: string | null; counterparty_id: string; email: string | null }>(
    `SELECT e.thread_id, m.in_reply_to, e.counterparty_id,
            (SELECT f.from_email FROM ledger_entries f
              WHERE f.party_id = e.party_id AND f.thread_id = e.thread_id AND f.box = 'out' ORDER BY f.position LIMIT 1) AS email
       FROM ledger_entries e JOIN messages m ON m.sender_id = e.counterparty_id AND m.id = e.message_id
      WHERE e.party_id = $1 AND e.message_id = $2 AND e.box = 'in'`,
    [partyId, messageId],
  );
  return row && { threadId: row.thread_id, inReplyTo: row.in_reply_to, businessId: BigInt(row.counterparty_id), email: row.email };
}
