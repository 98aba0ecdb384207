import { MAIL_FREQUENCIES, type MailFrequency } from '../../contract/people.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { oneOf, statement } from '../../platform/postgres/statement.ts';
import { NOTIFICATION_KINDS } from './notification-store.ts';

const QUEUE = statement(`SELECT FROM queue_job('mail-notifications', $1::json, $2::text)`);

/** Call it in the transaction of the notifications. A person is queued once. */
export async function queueNotificationMail(tx: Queryable, partyId: bigint, personId: string): Promise<void> {
  await tx.query(QUEUE, [JSON.stringify({ party_id: String(partyId), person_id: personId }), keyOf(partyId, personId)]);
}

const QUEUE_AT = statement(`SELECT FROM graphile_worker.add_job('mail-notifications', $1::json, job_key => $2, run_at => $3)`);

export async function queueNotificationMailAt(db: Queryable, partyId: bigint, personId: string, at: Date): Promise<void> {
  await db.query(QUEUE_AT, [JSON.stringify({ party_id: String(partyId), person_id: personId }), keyOf(partyId, personId), at]);
}

function keyOf(partyId: bigint, personId: string): string {
  return `mail-notifications ${partyId} ${personId}`;
}

const MEMBER = statement(
  `SELECT p.email, p.notification_mail FROM members m JOIN people p ON p.id = m.person_id
    WHERE m.party_id = $1 AND m.person_id = $2 AND p.email_verified`,
  { email: 'text', notification_mail: oneOf('mail_frequency', MAIL_FREQUENCIES) },
);

/** Returns undefined for a person who has left the business, or has no mailbox. */
export async function findMember(
  db: Queryable,
  partyId: bigint,
  personId: string,
): Promise<{ email: string; frequency: MailFrequency } | undefined> {
  const [row] = await db.query(MEMBER, [partyId, personId]);
  return row && { email: row.email, frequency: row.notification_mail };
}

const WAITING_SINCE = statement(
  `SELECT min(created_at) AS since FROM notifications
    WHERE party_id = $1 AND recipient_kind = 'person' AND recipient_id = $2 AND mailed_at IS NULL AND read_at IS NULL`,
  { since: 'timestamptz?' },
);

export async function waitingSince(db: Queryable, partyId: bigint, personId: string): Promise<Date | null> {
  return onlyRow(await db.query(WAITING_SINCE, [partyId, personId])).since;
}

const TAKE = statement(
  `UPDATE notifications SET mailed_at = now()
    WHERE party_id = $1 AND recipient_kind = 'person' AND recipient_id = $2 AND mailed_at IS NULL AND read_at IS NULL
   RETURNING kind, thread_id, by_name`,
  { kind: oneOf('notification_kind', NOTIFICATION_KINDS), thread_id: 'uuid', by_name: 'text' },
);

/** Each notification is taken once, by the transaction that queues its mail. */
export async function takeForMail(tx: Queryable, partyId: bigint, personId: string) {
  return tx.query(TAKE, [partyId, personId]);
}
