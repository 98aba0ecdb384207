// # Webhooks

/** Webhooks of one business that are told of the same event, other than messages. */
export const WEBHOOKS_PER_EVENT_MAX = 5;
/** Number of waiting attempts at which a webhook gets no more events of changed threads, paused webhooks and hashed files. */
export const WEBHOOK_EVENTS_UP_TO_WAITING = 10_000;
/** Characters of a webhook's URL. */
export const WEBHOOK_URL_MAX_CHARS = 2_048;
/** Webhooks of one business. */
export const WEBHOOKS_PER_BUSINESS_MAX = 50;
/** Webhooks of one business at one registrable domain (or, without one, at one address or host). */
export const WEBHOOKS_PER_HOST_MAX = 10;
/** Characters of a webhook's `description`. */
export const WEBHOOK_DESCRIPTION_MAX_CHARS = 200;
/** Patterns in `types` of a webhook. Each can be as long as `type` of a message. */
export const WEBHOOK_TYPES_MAX = 20;
/** Headers of its own that a webhook sends. */
export const WEBHOOK_HEADERS_MAX = 16;
/** Bytes of the names and values of these headers together. */
export const WEBHOOK_HEADERS_MAX_BYTES = 4_096;
/** Highest `max_per_second` of a webhook. */
export const WEBHOOK_PER_SECOND_MAX = 1_000;
/** Longest time for which the secret before also signs after a rotation. */
export const WEBHOOK_SECRET_GRACE_MAX_S = 7 * 24 * 3_600;
/** Number of waiting attempts at which a webhook refuses redeliveries. */
export const WEBHOOK_REPLAYS_UP_TO_WAITING = 10_000;
/** Number of waiting attempts at which the recovery of a webhook pauses. */
export const WEBHOOK_RECOVERY_WAITING_MAX = 2_000;
/** Recoveries that can begin per day (UTC), of one webhook. */
export const WEBHOOK_RECOVERIES_PER_DAY_MAX = 50;
/** Recoveries that can begin per day, of all webhooks of a business, deleted ones included. */
export const WEBHOOK_RECOVERIES_PER_BUSINESS_AND_DAY_MAX = 200;
/** Attempts that recoveries of one webhook queue per day. Beyond that, a recovery goes on the next day. */
export const WEBHOOK_RECOVERY_ATTEMPTS_PER_DAY_MAX = 200_000;
/** Attempts that recoveries of all webhooks of one business queue per day. Beyond that, they go on the next day. */
export const WEBHOOK_RECOVERY_ATTEMPTS_PER_BUSINESS_AND_DAY_MAX = 500_000;
/** Number of messages up to which `total` of a recovery is counted. */
export const WEBHOOK_RECOVERY_COUNTED_MAX = 100_000;
/** Recoveries that are kept of each webhook. A new one takes the place of the oldest. */
export const WEBHOOK_RECOVERIES_KEPT_MAX = 20;
/** Failed attempts after which the service pauses a webhook whose endpoint has never responded 2xx. */
export const WEBHOOK_FAILURES_BEFORE_SUCCESS_MAX = 50;
/** Time after which the admins of a business get a mail about a webhook of which all attempts have failed. */
export const WEBHOOK_FAILING_TOLD_AFTER_S = 24 * 3_600;
/** Days after which the service pauses a webhook of which all attempts have failed. Setting: `WEBHOOK_PAUSE_AFTER_DAYS`. */
export const WEBHOOK_PAUSE_AFTER_DAYS = 5;
/** Time for DNS lookup, connection, TLS, request and response of one attempt together. */
export const WEBHOOK_PATIENCE_MS = 10_000;
/** Attempts after the first; the setting has their delays. Setting: `WEBHOOK_RETRY_DELAYS_S`. */
export const WEBHOOK_RETRIES_MAX = 5;
/** Days for which the service keeps the log of attempts. Setting: `WEBHOOK_LOG_DAYS`. */
export const WEBHOOK_LOG_DAYS = 30;
/** Attempts of one delivery that the service shows, the newest. */
export const WEBHOOK_ATTEMPTS_SHOWN_MAX = 100;
/** Entries of a log that are read for one page of deliveries. */
export const WEBHOOK_LOG_SCANNED_MAX = 10_000;
/** Attempts of a webhook whose request and response are kept, the newest. */
export const WEBHOOK_EXCHANGES_MAX = 1_000;
/** Successes, and as many failures, of a webhook whose request and response a process keeps at once; above that, a few. */
export const WEBHOOK_EXCHANGES_BURST = 100;
/** Successes, and as many failures, of a busy webhook whose request and response a process keeps, per minute. */
export const WEBHOOK_EXCHANGES_PER_MINUTE = 12;
/** Bytes that are kept of the body of a response. */
export const WEBHOOK_RESPONSE_KEPT_BYTES = 2_048;
/** Characters that are kept of the names and values of its headers. Of one value, a quarter. */
export const WEBHOOK_RESPONSE_HEADERS_MAX_CHARS = 2_048;
