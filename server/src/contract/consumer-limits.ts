// # Consumers

/** Consumers of one business. */
export const CONSUMERS_PER_BUSINESS_MAX = 100;
/** Characters of a consumer's name. */
export const CONSUMER_NAME_MAX_CHARS = 64;
/** Patterns in `types` of a consumer. Each can be as long as `type` of a message. */
export const CONSUMER_TYPES_MAX = 20;
/** Leases after which a message that nobody has acknowledged is parked, by default. */
export const CONSUMER_DEFAULT_TRIES = 10;
/** Highest `max_tries` of a consumer. */
export const CONSUMER_TRIES_MAX = 100;
/** Messages that a consumer has taken and nobody has acknowledged, parked ones included. Beyond it, leases give no new messages. */
export const CONSUMER_UNACKNOWLEDGED_MAX = 10_000;
/** Up to this number, `lag`, `leased` and `parked` of a consumer are counted. */
export const CONSUMER_COUNT_MAX = 1_000;
/** Messages of a lease by default. */
export const LEASE_DEFAULT_MESSAGES = 10;
/** Messages of a lease with `limit`. A lease ends early, as a page of messages does, when it has about 4 MB. */
export const LEASE_MESSAGES_MAX = 100;
/** Time of a lease by default. */
export const LEASE_DEFAULT_S = 30;
/** Longest time of a lease. It can be extended again and again. */
export const LEASE_MAX_S = 12 * 3_600;
/** Longest time that a lease waits for a message. */
export const LEASE_WAIT_MAX_S = 30;
/** Longest delay of a release. */
export const RELEASE_DELAY_MAX_S = 7 * 24 * 3_600;
/** Characters of the reason of a release. */
export const RELEASE_REASON_MAX_CHARS = 500;
/** Characters of the name of a holder. */
export const HOLDER_MAX_CHARS = 100;
/** Messages that one request can acknowledge, extend, release or put back by their ids. */
export const CONSUMER_IDS_MAX = 500;
/** Messages without a match that one lease looks through. Then it ends empty, and the next one goes on behind them. */
export const LEASE_ENTRIES_MAX = 20_000;
/** Leases that wait, in each process. */
export const LEASE_WAITS_MAX = 2_000;
/** Leases of one business that wait, in each process. */
export const LEASE_WAITS_PER_BUSINESS_MAX = 200;
/** Waiting leases that are reserved for businesses with few. */
export const LEASE_WAITS_KEPT_BACK = 400;
/** Waiting leases up to which a business gets one of the reserved ones. */
export const LEASE_WAITS_FEW = 10;
