import type { Mail } from '../../platform/mail/mailer.ts';

/** What a function in the database queues, which knows neither our address nor our templates. */
export interface AnswerNotice {
  to: string;
  /** `path` is where the answer can be read. */
  answer: { businessName: string; handle: string; path: string };
}

export type QueuedMail = Mail | AnswerNotice;
