import type { Mail } from '../../platform/mail/mailer.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { columns, json, type RowOf, statement } from '../../platform/postgres/statement.ts';

export interface KeptMail {
  id: string;
  keptAt: Date;
  mail: Mail;
}

const KEPT_MAIL_ROW = columns({ id: 'uuid', kept_at: 'timestamptz', mail: json<Mail>() });

const toKeptMail = ({ id, kept_at, mail }: RowOf<typeof KEPT_MAIL_ROW>): KeptMail => ({ id, keptAt: kept_at, mail });

const KEEP_MAIL = statement('INSERT INTO kept_mails (id, mail) VALUES ($1, $2) ON CONFLICT DO NOTHING');

/** Keeps a mail once, however often its worker retries. */
export async function keepMail(db: Queryable, id: string, mail: Mail): Promise<void> {
  await db.query(KEEP_MAIL, [id, JSON.stringify(mail)]);
}

const MAILS = statement('SELECT id, kept_at, mail FROM kept_mails ORDER BY kept_at DESC, id DESC LIMIT $1', KEPT_MAIL_ROW);

export async function listMails(db: Queryable, limit: number): Promise<KeptMail[]> {
  const rows = await db.query(MAILS, [limit]);
  return rows.map(toKeptMail);
}

const MAIL = statement('SELECT id, kept_at, mail FROM kept_mails WHERE id = $1', KEPT_MAIL_ROW);

export async function findMail(db: Queryable, id: string): Promise<KeptMail | undefined> {
  const [row] = await db.query(MAIL, [id]);
  return row && toKeptMail(row);
}

const DELETE_OLD_MAILS = statement(
  `DELETE FROM kept_mails WHERE kept_at < now() - make_interval(days => $1)
      OR id IN (SELECT id FROM kept_mails ORDER BY kept_at DESC, id DESC OFFSET $2)`,
);

export async function deleteOldMails(db: Queryable, days: number, keep: number): Promise<void> {
  await db.query(DELETE_OLD_MAILS, [days, keep]);
}
