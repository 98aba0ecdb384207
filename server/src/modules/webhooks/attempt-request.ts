import { formatId } from '../../contract/ids.ts';
import type { Exchange, Response } from '../../platform/outbound/exchange.ts';
import { type Outbound, reasonOf } from '../../platform/outbound/outbound.ts';
import type { MadeAttempt } from './attempt-store.ts';
import type { Bagged } from './bag.ts';
import { type ExchangeKeeper, type KeptExchange, shownHeaders } from './exchange-keeper.ts';
import type { LeasedAttempt, ReadyAttempt } from './lane.ts';
import { signaturesOf } from './signature.ts';

const USER_AGENT = 'waybill-webhooks/1.0';
const ERROR_MAX_CHARS = 500;
/** The largest integer of PostgreSQL, which compares the time with the retry delays. */
const RETRY_AFTER_MAX_S = 2 ** 31 - 1;

export interface Outcome extends MadeAttempt {
  attempt: LeasedAttempt;
  exchange: KeptExchange | undefined;
}

class WebhookDeleted extends Error {}

export class AttemptRequest implements Bagged {
  readonly attempt: LeasedAttempt;
  index = 0;
  readonly #body: Buffer;
  readonly #headers: Record<string, string>;
  #exchange: Exchange | undefined;
  #begunAt = 0;

  constructor({ attempt, body }: ReadyAttempt) {
    this.attempt = attempt;
    this.#body = body;
    this.#headers = headersOf(attempt, body);
  }

  /** Calls `onEnd` once, maybe before it returns. There is no outcome if the request was cancelled. */
  begin(outbound: Outbound, keeper: ExchangeKeeper, onEnd: (request: AttemptRequest, outcome: Outcome | undefined) => void): void {
    this.#begunAt = performance.now();
    const { url, showsCertificate } = this.attempt.lease;
    this.#exchange = outbound.post({ url, showsCertificate }, this.#headers, this.#body, (response) => {
      const outcome = this.#outcomeOf(response);
      if (outcome) this.#keep(outcome, response, keeper);
      onEnd(this, outcome);
    });
  }

  #keep(outcome: Outcome, response: Response | Error, keeper: ExchangeKeeper): void {
    const { lane, lease } = this.attempt;
    if (!keeper.hasRoomFor(lane.webhookId, outcome.succeeded)) return;
    const headers = shownHeaders(this.#headers, lease.headers);
    outcome.exchange = keeper.exchangeOf({ url: lease.url, headers, body: this.#body }, response);
  }

  /** Cancels the request of a deleted webhook. Nothing is recorded of the attempt. */
  cancel(): void {
    this.#exchange?.cancel(new WebhookDeleted());
  }

  #outcomeOf(response: Response | Error): Outcome | undefined {
    if (response instanceof WebhookDeleted) return undefined;
    if (response instanceof Error) return this.#outcome(null, reasonOf(response).replaceAll('\0', '').slice(0, ERROR_MAX_CHARS), 0);
    const { statusCode, headers } = response;
    if (statusCode >= 200 && statusCode < 300) return this.#outcome(statusCode, null, 0);
    const mayDelay = statusCode === 429 || statusCode === 503;
    return this.#outcome(statusCode, refusalText(statusCode), mayDelay ? retryAfterSeconds(headers['retry-after']) : 0);
  }

  #outcome(statusCode: number | null, error: string | null, retryAfterS: number): Outcome {
    return outcomeOf(this.attempt, this.#begunAt, statusCode, error, retryAfterS);
  }
}

export function unsendable(attempt: LeasedAttempt, reason: string): Outcome {
  return outcomeOf(attempt, performance.now(), null, reason, 0);
}

function outcomeOf(attempt: LeasedAttempt, begunAt: number, statusCode: number | null, error: string | null, retryAfterS: number): Outcome {
  const { id, lane, lease, isOrdered = false } = attempt;
  const { partyId, webhookId, isProven } = lane;
  const { urlVersion } = lease;
  const responseMs = Math.round(performance.now() - begunAt);
  const succeeded = error === null;
  const exchange = undefined;
  return {
    attempt,
    partyId,
    webhookId,
    urlVersion,
    isProven,
    id,
    succeeded,
    statusCode,
    error,
    retryAfterS,
    begunAt,
    responseMs,
    isOrdered,
    exchange,
  };
}

function headersOf({ lease, messageId, subjectId, id, event }: LeasedAttempt, body: Buffer): Record<string, string> {
  const unixSeconds = Math.floor((lease.clockMs + performance.now() - lease.at) / 1000);
  const webhookId = formatId(subjectId === null ? 'msg' : 'evt', messageId);
  const { own, standard } = signaturesOf(lease.secrets, webhookId, unixSeconds, body);
  const isReplay = event === 'message.replay';
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'waybill-event': isReplay ? 'message.received' : event,
    'waybill-delivery-id': formatId('dlv', id),
    'waybill-signature': own,
    'webhook-id': webhookId,
    'webhook-timestamp': String(unixSeconds),
    'webhook-signature': standard,
  };
  if (isReplay) headers['waybill-replay'] = 'true';
  return lease.headers === undefined ? headers : { ...lease.headers, ...headers };
}

function refusalText(statusCode: number): string {
  return statusCode >= 300 && statusCode < 400
    ? `responded with ${statusCode}: redirects are not followed`
    : `responded with ${statusCode} instead of a status from 200 to 299`;
}

/** Matches the three date formats of HTTP. Date.parse alone would accept almost any text. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d(?: GMT| \d{4})$/;

/** Parses seconds or a date. Anything else gives 0. */
function retryAfterSeconds(header: string | undefined): number {
  const text = String(header).trim();
  const isCount = /^\d+$/.test(text);
  if (!isCount && !HTTP_DATE.test(text)) return 0;
  const seconds = isCount ? Number(text) : Math.ceil((Date.parse(text.replace(/(?: GMT)?$/, ' GMT')) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? 0 : Math.min(RETRY_AFTER_MAX_S, Math.max(0, seconds));
}
