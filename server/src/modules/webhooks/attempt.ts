import { formatId } from '../../contract/ids.ts';
import { type Exchange, type Outbound, reasonOf } from '../../platform/outbound.ts';
import type { ClaimedAttempt, MadeAttempt } from './attempt-store.ts';
import { signatureHeaders } from './signature.ts';

const USER_AGENT = 'waybill-webhooks/1.0';
const ERROR_MAX_CHARS = 500;
/** A receiver that wants to be left alone for longer is asked again after this. */
const RETRY_AFTER_MAX_S = 24 * 3_600;

/** When attempts were taken, by the clock of this process and by the database's. */
export interface Claim {
  at: number;
  clockMs: number;
}

/** Taken, and with the body it carries. */
export interface PreparedAttempt extends ClaimedAttempt {
  claim: Claim;
  body: Buffer;
}

/** How it went. When it was, the log learns as milliseconds ago. */
export type Outcome = Omit<MadeAttempt, 'agoMs'>;

class WebhookDeleted extends Error {}

/** An attempt under way. */
export class Attempt {
  readonly #prepared: PreparedAttempt;
  readonly #exchange: Exchange;
  readonly #begunAt = performance.now();

  constructor(outbound: Outbound, prepared: PreparedAttempt) {
    this.#prepared = prepared;
    this.#exchange = outbound.post(prepared.url, headersOf(prepared), prepared.body);
  }

  /** For a webhook that is gone. Nothing is written down of it. */
  breakOff(): void {
    this.#exchange.cancel(new WebhookDeleted());
  }

  /** Undefined when it was broken off. */
  async outcome(): Promise<Outcome | undefined> {
    try {
      const { statusCode, retryAfter } = await this.#exchange.answered;
      if (statusCode >= 200 && statusCode < 300) return this.#ended(true, statusCode, null, 0);
      const isAsked = statusCode === 429 || statusCode === 503;
      return this.#ended(false, statusCode, refusalText(statusCode), isAsked ? retryAfterSeconds(retryAfter) : 0);
    } catch (error) {
      if (error instanceof WebhookDeleted) return undefined;
      return this.#ended(false, null, reasonOf(error).replaceAll('\0', '').slice(0, ERROR_MAX_CHARS), 0);
    }
  }

  #ended(succeeded: boolean, statusCode: number | null, error: string | null, retryAfterS: number): Outcome {
    const { partyId, webhookId, id } = this.#prepared;
    return { partyId, webhookId, id, succeeded, statusCode, error, retryAfterS, responseMs: Math.round(performance.now() - this.#begunAt) };
  }
}

function headersOf({ secret, messageId, id, event, body, claim }: PreparedAttempt): Record<string, string> {
  const unixSeconds = Math.floor((claim.clockMs + performance.now() - claim.at) / 1000);
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'waybill-event': event,
    'waybill-delivery-id': formatId('dlv', id),
    ...signatureHeaders(secret, formatId('msg', messageId), unixSeconds, body),
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
