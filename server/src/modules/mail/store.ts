import type { Mail } from '../../platform/mail/mailer.ts';
import type { Queryable } from '../../platform/postgres.ts';

/** Lower priorities are sent first; notifications have one of their own, which is the highest. */
export async function queueMail(tx: Queryable, mail: Mail, priority: number): Promise<void> {
  await tx.query('SELECT queue_mail($1, $2)', [JSON.stringify(mail), priority]);
}

/** Gives back what workers had taken and did not finish in so long, because they died; returns how many mails that were. */
export async function releaseMails(db: Queryable, afterS: number): Promise<number> {
  const [row] = await db.query<{ mails: string }>(
    `SELECT graphile_worker.force_unlock_workers(array_agg(DISTINCT locked_by)), count(*) AS mails FROM graphile_worker.jobs
      WHERE task_identifier = 'send-mail' AND locked_at < now() - make_interval(secs => $1) HAVING count(*) > 0`,
    [afterS],
  );
  return Number(row?.mails ?? 0);
}

/** Drops mails that have had all their attempts; returns how many. */
export async function dropHopeless(db: Queryable): Promise<number> {
  const rows = await db.query(
    `SELECT graphile_worker.complete_jobs(ARRAY[id]) FROM graphile_worker.jobs
      WHERE task_identifier = 'send-mail' AND attempts >= max_attempts AND locked_at IS NULL`,
  );
  return rows.length;
}

export async function unsubscribe(db: Queryable, email: string): Promise<void> {
  await db.query('INSERT INTO unsubscribed_mailboxes (email) VALUES ($1) ON CONFLICT DO NOTHING', [email]);
}

export async function isUnsubscribed(db: Queryable, email: string): Promise<boolean> {
  return (await db.query('SELECT FROM unsubscribed_mailboxes WHERE email = $1', [email])).length > 0;
}
