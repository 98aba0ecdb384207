import type { Queryable } from '../../platform/postgres.ts';
import * as store from './store.ts';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Mails that go out once the transaction that asked for them is committed. */
export class Mails {
  queue(tx: Queryable, mail: Mail): Promise<void> {
    return store.queueMail(tx, mail);
  }
}
