import type { Logger } from 'pino';
import { type Mailer, MailRefused } from '../../platform/mail/mailer.ts';
import type { Queryable } from '../../platform/postgres.ts';
import { keepMail } from './kept-mail-store.ts';
import type { Mails } from './mails.ts';
import type { QueuedMail } from './queued-mail.ts';
import * as store from './store.ts';
import { UNSUBSCRIBE_HEADER } from './templates.ts';

/** Hands queued mails to the mail server or, without one, keeps them. Whatever it throws is tried again. */
export class MailDelivery {
  readonly #mails: Mails;
  readonly #mailer: Mailer | undefined;

  constructor(mails: Mails, mailer: Mailer | undefined) {
    this.#mails = mails;
    this.#mailer = mailer;
  }

  async deliver(db: Queryable, log: Logger, id: string, queued: QueuedMail): Promise<void> {
    const mail = this.#mails.finished(queued);
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
