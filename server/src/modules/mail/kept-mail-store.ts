import type { Mail } from '../../platform/mail/mailer.ts';
import type { Queryable } from '../../platform/postgres.ts';

export interface KeptMail {
  id: string;
  keptAt: Date;
  mail: Mail;
}

type KeptMailRow = { id: string; kept_at: Date; mail: Mail };

const toKeptMail = ({ id, kept_at, mail }: KeptMailRow): KeptMail => ({ id, keptAt: kept_at, mail });

/** Once, however often its worker had to begin anew. */
export async function keepMail(db: Queryable, id: string, mail: Mail): Promise<void> {
  await db.query('INSERT INTO kept_mails (id, mail) VALUES ($1, $2) ON CONFLICT DO NOTHING', [id, JSON.stringify(mail)]);
}

/** Newest first. */
export async function listMails(db: Queryable, limit: number): Promise<KeptMail[]> {
  const rows = await db.query<KeptMailRow>('SELECT id, kept_at, mail FROM kept_mails ORDER BY kept_at DESC, id DESC LIMIT $1', [limit]);
  return rows.map(toKeptMail);
}

export async function findMail(db: Queryable, id: string): Promise<KeptMail | undefined> {
  const [row] = await db.query<KeptMailRow>('SELECT id, kept_at, mail FROM kept_mails WHERE id = $1', [id]);
  return row && toKeptMail(row);
}

/** Those that are too old, and of the others all but the newest. */
export async function deleteOldMails(db: Queryable, days: number, keep: number): Promise<void> {
  await db.query(
    `DELETE FROM kept_mails WHERE kept_at < now() - make_interval(days => $1)
        OR id IN (SELECT id FROM kept_mails ORDER BY kept_at DESC, id DESC OFFSET $2)`,
    [days, keep],
  );
}
