import type { Logger } from 'pino';
import { type Mail, type Mailer, MailRefused } from '../../platform/mail/mailer.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { keepMail } from './kept-mail-store.ts';
import * as store from './store.ts';
import { UNSUBSCRIBE_HEADER } from './templates.ts';

/**
 * Sends queued mails to the mail server. Without a server, it stores them (kept-mail-store.ts). A mail whose delivery throws is
 * retried.
 */
export class MailDelivery {
  readonly #mailer: Mailer | undefined;

  constructor(mailer: Mailer | undefined) {
    this.#mailer = mailer;
  }

  async deliver(db: Queryable, log: Logger, id: string, mail: Mail): Promise<void> {
    const isNotification = mail.headers?.[UNSUBSCRIBE_HEADER] !== undefined;
    if (isNotification && (await store.isUnsubscribed(db, mail.to))) {
      log.debug({ mail: id }, 'not sent, because its mailbox is unsubscribed');
      return;
    }
    if (!this.#mailer) {
      await keepMail(db, id, mail);
      return;
    }
    try {
      await this.#mailer.send(id, mail);
    } catch (error) {
      if (!(error instanceof MailRefused)) throw error;
      log.warn({ mail: id, reason: error.message }, 'a mail was refused for good');
    }
  }
}
