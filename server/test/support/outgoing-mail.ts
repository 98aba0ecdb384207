import { pino } from 'pino';
import { type Mail, Mails } from '../../src/modules/mail/mails.ts';
import { Database, type TextQueryable } from '../../src/platform/postgres/postgres.ts';
import { sharedSecret } from '../../src/platform/secrets/secrets.ts';
import { until } from './process.ts';
import type { TestService } from './service.ts';

/** Queues mails as a use-case would. */
export interface MailQueue {
  mails: Mails;
  queue(mail: Partial<Mail> & { to: string }): Promise<void>;
  transaction(work: (tx: TextQueryable) => Promise<void>): Promise<void>;
  /** Mails that are not sent yet, or never will be. */
  waiting(mailbox: string): Promise<WaitingMail[]>;
  /** Waits until the mail has had this many failed attempts. */
  failed(mailbox: string, attempts: number): Promise<WaitingMail>;
  /** Makes the next attempt due. */
  hurry(): Promise<void>;
  close(): Promise<void>;
}

interface WaitingMail {
  attempts: number;
  isUnderWay: boolean;
  lastError: string;
  /** The seconds until the next attempt. */
  delayS: number;
}

export const PLAIN = { subject: 'A subject', text: 'A text', html: '<p>An HTML</p>' };

export async function openMailQueue({ databaseUrl, url, sql }: TestService): Promise<MailQueue> {
  const database = new Database({ connectionString: databaseUrl }, pino({ level: 'silent' }));
  const mails = new Mails(await sharedSecret(database, 'unsubscribing'), url);
  const waiting = (mailbox: string): Promise<WaitingMail[]> =>
    sql(
      `SELECT j.attempts, j.locked_at IS NOT NULL AS "isUnderWay", coalesce(j.last_error, '') AS "lastError",
              extract(epoch FROM j.run_at - now())::float AS "delayS"
         FROM graphile_worker.jobs j JOIN graphile_worker._private_jobs p ON p.id = j.id
        WHERE j.task_identifier = 'send-mail' AND p.payload -> 'mail' ->> 'to' = $1`,
      [mailbox],
    );
  return {
    mails,
    queue: (mail) => mails.queue(database, { ...PLAIN, ...mail }),
    transaction: (work) => database.transaction(work),
    waiting,
    failed: async (mailbox, attempts) => {
      let found: WaitingMail | undefined;
      await until(async () => {
        found = (await waiting(mailbox)).find((mail) => mail.attempts === attempts && !mail.isUnderWay);
        return found !== undefined;
      });
      return found as WaitingMail;
    },
    hurry: async () => {
      await sql(`UPDATE graphile_worker._private_jobs SET run_at = now() WHERE locked_at IS NULL AND payload -> 'mail' IS NOT NULL`);
    },
    close: () => database.close(),
  };
}
