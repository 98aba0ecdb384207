import type { Mail } from '../../platform/mail/mailer.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { statement } from '../../platform/postgres/statement.ts';

const QUEUE_MAIL = statement('SELECT FROM queue_mail($1::json, $2::integer)');

/** Lower numbers are sent first. Notifications have the highest. */
export async function queueMail(tx: Queryable, mail: Mail, priority: number): Promise<void> {
  await tx.query(QUEUE_MAIL, [JSON.stringify(mail), priority]);
}

const RELEASE_MAILS = statement(
  `SELECT graphile_worker.force_unlock_workers(array_agg(DISTINCT locked_by)), count(*) AS mails FROM graphile_worker.jobs
    WHERE task_identifier = 'send-mail' AND locked_at < now() - make_interval(secs => $1) HAVING count(*) > 0`,
  { force_unlock_workers: 'void', mails: 'bigint' },
);

export async function releaseMails(db: Queryable, afterS: number): Promise<number> {
  const [row] = await db.query(RELEASE_MAILS, [afterS]);
  return Number(row?.mails ?? 0);
}

const DROP_HOPELESS = statement(
  `WITH dropped AS MATERIALIZED (
     SELECT graphile_worker.complete_jobs(ARRAY[id]) FROM graphile_worker.jobs
      WHERE task_identifier = 'send-mail' AND attempts >= max_attempts AND locked_at IS NULL
   ) SELECT count(*) FROM dropped`,
  { count: 'bigint' },
);

export async function dropHopeless(db: Queryable): Promise<number> {
  const [row] = await db.query(DROP_HOPELESS);
  return Number(row?.count ?? 0);
}

const UNSUBSCRIBE = statement('INSERT INTO unsubscribed_mailboxes (email) VALUES ($1) ON CONFLICT DO NOTHING');

export async function unsubscribe(db: Queryable, email: string): Promise<void> {
  await db.query(UNSUBSCRIBE, [email]);
}

const IS_UNSUBSCRIBED = statement('SELECT FROM unsubscribed_mailboxes WHERE email = $1');

export async function isUnsubscribed(db: Queryable, email: string): Promise<boolean> {
  return (await db.query(IS_UNSUBSCRIBED, [email])).length > 0;
}
