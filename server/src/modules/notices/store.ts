import type { Queryable } from '../../platform/postgres/postgres.ts';
import { statement } from '../../platform/postgres/statement.ts';

interface ReplyEntry {
  threadId: string;
  inReplyTo: string | null;
  senderId: bigint;
  position: bigint;
  /** The author of the message replied to, and the first author in this ledger's copy of the thread, both on the party's side. */
  parentEmail: string | null;
  firstEmail: string | null;
}

const REPLY = statement(
  `SELECT e.thread_id, m.in_reply_to, e.counterparty_id, e.position,
          (SELECT f.from_email FROM ledger_entries f
            WHERE f.party_id = e.party_id AND f.message_id = m.in_reply_to AND f.box = 'out') AS parent_email,
          (SELECT f.from_email FROM ledger_entries f
            WHERE f.party_id = e.party_id AND f.thread_id = e.thread_id AND f.box = 'out' ORDER BY f.position LIMIT 1) AS first_email
     FROM ledger_entries e JOIN messages m ON m.sender_id = e.counterparty_id AND m.id = e.message_id
    WHERE e.party_id = $1 AND e.message_id = $2 AND e.box = 'in'`,
  {
    thread_id: 'uuid',
    in_reply_to: 'uuid?',
    counterparty_id: 'bigint',
    position: 'bigint',
    parent_email: 'text?',
    first_email: 'text?',
  },
);

export async function findReply(db: Queryable, partyId: bigint, messageId: string): Promise<ReplyEntry | undefined> {
  const [row] = await db.query(REPLY, [partyId, messageId]);
  return (
    row && {
      threadId: row.thread_id,
      inReplyTo: row.in_reply_to,
      senderId: BigInt(row.counterparty_id),
      position: BigInt(row.position),
      parentEmail: row.parent_email,
      firstEmail: row.first_email,
    }
  );
}

const FIRST_NOTICE = statement(
  'INSERT INTO thread_notices (party_id, thread_id, email, position) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING email',
  { email: 'text' },
);
const IS_DUE = statement(
  `SELECT n.position < $4
          AND (EXISTS (SELECT 1 FROM ledger_entries e
                        WHERE e.party_id = $1 AND e.thread_id = $2 AND e.box = 'out' AND e.from_email = $3 AND e.position > n.position)
               OR EXISTS (SELECT 1 FROM people p WHERE p.email = $3 AND p.email_verified AND greatest(p.signed_in_at, p.created_at) > n.notified_at)
          ) AS is_due
     FROM thread_notices n WHERE n.party_id = $1 AND n.thread_id = $2 AND n.email = $3 FOR UPDATE OF n`,
  { is_due: 'boolean' },
);
const NEXT_NOTICE = statement(
  'UPDATE thread_notices SET position = $4, notified_at = now() WHERE party_id = $1 AND thread_id = $2 AND email = $3',
);

/**
 * Records that a mailbox is notified of a reply. Returns false when it was notified of an earlier one in the thread and has neither written
 * there nor signed in since. The row lock serializes two workers, so that one notice is sent.
 */
export async function noteNotice(
  tx: Queryable,
  { partyId, threadId, email, position }: { partyId: bigint; threadId: string; email: string; position: bigint },
): Promise<boolean> {
  const values = [partyId, threadId, email, position];
  if ((await tx.query(FIRST_NOTICE, values)).length > 0) return true;
  const [notice] = await tx.query(IS_DUE, values);
  if (!notice?.is_due) return false;
  await tx.query(NEXT_NOTICE, values);
  return true;
}
