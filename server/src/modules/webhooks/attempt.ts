import { formatId } from '../../contract/ids.ts';
import { type Answered, type Exchange, type Outbound, reasonOf } from '../../platform/outbound.ts';
import type { MadeAttempt } from './attempt-store.ts';
import type { Bagged } from './bag.ts';
import type { HeldAttempt, PreparedAttempt } from './lanes.ts';
import { signaturesOf } from './signature.ts';

const USER_AGENT = 'waybill-webhooks/1.0';
const ERROR_MAX_CHARS = 500;
/** The largest integer of PostgreSQL, where the time is judged by the delays of the table. */
const RETRY_AFTER_MAX_S = 2 ** 31 - 1;

/** How it went. It is held until that is written down. */
export interface Outcome extends MadeAttempt {
  attempt: HeldAttempt;
}

class WebhookDeleted extends Error {}

/** An attempt under way. */
export class Attempt implements Bagged {
  readonly held: HeldAttempt;
  place = 0;
  readonly #body: Buffer;
  readonly #headers: Record<string, string>;
  #exchange: Exchange | undefined;
  #begunAt = 0;

  constructor({ held, body }: PreparedAttempt) {
    this.held = held;
    this.#body = body;
    this.#headers = headersOf(held, body);
  }

  /** Ends with `over`, maybe at once; without an outcome if it was broken off. */
  begin(outbound: Outbound, over: (attempt: Attempt, outcome: Outcome | undefined) => void): void {
    this.#begunAt = performance.now();
    this.#exchange = outbound.post(this.held.claim.url, this.#headers, this.#body, (answer) => over(this, this.#outcomeOf(answer)));
  }

  /** For a webhook that is gone. Nothing is written down of it. */
  breakOff(): void {
    this.#exchange?.cancel(new WebhookDeleted());
  }

  #outcomeOf(answer: Answered | Error): Outcome | undefined {
    if (answer instanceof WebhookDeleted) return undefined;
    if (answer instanceof Error) return this.#ended(null, reasonOf(answer).replaceAll('\0', '').slice(0, ERROR_MAX_CHARS), 0);
    const { statusCode, retryAfter } = answer;
    if (statusCode >= 200 && statusCode < 300) return this.#ended(statusCode, null, 0);
    const isAsked = statusCode === 429 || statusCode === 503;
    return this.#ended(statusCode, refusalText(statusCode), isAsked ? retryAfterSeconds(retryAfter) : 0);
  }

  #ended(statusCode: number | null, error: string | null, retryAfterS: number): Outcome {
    return outcomeOf(this.held, this.#begunAt, statusCode, error, retryAfterS);
  }
}

/** Of an attempt for which there is nothing to send. */
export function unsendable(attempt: HeldAttempt, reason: string): Outcome {
  return outcomeOf(attempt, performance.now(), null, reason, 0);
}

function outcomeOf(attempt: HeldAttempt, begunAt: number, statusCode: number | null, error: string | null, retryAfterS: number): Outcome {
  const { partyId, webhookId, isProven } = attempt.lane;
  const responseMs = Math.round(performance.now() - begunAt);
  const succeeded = error === null;
  return { attempt, partyId, webhookId, isProven, id: attempt.id, succeeded, statusCode, error, retryAfterS, begunAt, responseMs };
}

function headersOf({ claim, messageId, id, event }: HeldAttempt, body: Buffer): Record<string, string> {
  const unixSeconds = Math.floor((claim.clockMs + performance.now() - claim.at) / 1000);
  const message = formatId('msg', messageId);
  const { own, standard } = signaturesOf(claim.secret, message, unixSeconds, body);
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'waybill-event': event,
    'waybill-delivery-id': formatId('dlv', id),
    'waybill-signature': own,
    'webhook-id': message,
    'webhook-timestamp': String(unixSeconds),
    'webhook-signature': standard,
  };
}

function refusalText(statusCode: number): string {
  return statusCode >= 300 && statusCode < 400
    ? `answered ${statusCode}: redirects are not followed`
    : `answered ${statusCode} instead of a status from 200 to 299`;
}

/** Any of the three forms that HTTP has for a date. Date.parse alone would find one in almost any words. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d(?: GMT| \d{4})$/;

/** Seconds, or a date; 0 for anything else. */
function retryAfterSeconds(header: string | undefined): number {
  const text = String(header).trim();
  const isCount = /^\d+$/.test(text);
  if (!isCount && !HTTP_DATE.test(text)) return 0;
  const seconds = isCount ? Number(text) : Math.ceil((Date.parse(text.replace(/(?: GMT)?$/, ' GMT')) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? 0 : Math.min(RETRY_AFTER_MAX_S, Math.max(0, seconds));
}
