import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseEmail } from '../../contract/mail-names.ts';
import type { Mail } from '../../platform/mail/mailer.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import * as store from './store.ts';

export type { Mail } from '../../platform/mail/mailer.ts';

const PRIORITY = { code: 0, other: 5 };

/** Outgoing mails are queued in the transaction that causes them, and sent by a worker. */
export class Mails {
  readonly #secret: Buffer;
  readonly #publicUrl: string;

  constructor(secret: Buffer, publicUrl: string) {
    this.#secret = secret;
    this.#publicUrl = publicUrl;
  }

  async queue(tx: Queryable, mail: Mail): Promise<void> {
    await this.#queue(tx, mail, PRIORITY.other);
  }

  /** Queues a mail that somebody waits for before all others. */
  async queueFirst(tx: Queryable, mail: Mail): Promise<void> {
    await this.#queue(tx, mail, PRIORITY.code);
  }

  async #queue(tx: Queryable, mail: Mail, priority: number): Promise<void> {
    if (parseEmail(mail.to) === undefined) throw new Error('a mail must go to one mailbox');
    await store.queueMail(tx, mail, priority);
  }

  /** The link never expires, because a mail may be read years later. */
  unsubscribeUrl(email: string): string {
    const mailbox = parseEmail(email) ?? email;
    return `${this.#publicUrl}/mail/unsubscribe/${Buffer.from(mailbox).toString('base64url')}.${this.#seal(mailbox)}`;
  }

  mailboxOf(token: string): string | undefined {
    const [encoded = '', seal = '', ...rest] = token.split('.');
    const mailbox = Buffer.from(encoded, 'base64url').toString();
    const given = Buffer.from(seal);
    const wanted = Buffer.from(this.#seal(mailbox));
    return rest.length === 0 && given.length === wanted.length && timingSafeEqual(given, wanted) ? mailbox : undefined;
  }

  #seal(mailbox: string): string {
    return createHmac('sha256', this.#secret).update(mailbox).digest('base64url');
  }
}
