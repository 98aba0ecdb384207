// # Witnesses and timestamps

/** Bytes of a request to a witness. */
export const WITNESS_REQUEST_MAX_BYTES = 64 * 1024;
/** Logs that one witness knows. */
export const WITNESS_LOGS_MAX = 1_000;
/** Requests of one network (an IPv4 address, or a /64 of IPv6) that a witness takes at once. */
export const WITNESS_BURST = 120;
/** Requests of one network that a witness takes in a minute. */
export const WITNESS_PER_MINUTE = 600;
/** Networks whose requests a witness counts at a time. */
export const WITNESS_NETWORKS_MAX = 20_000;
/** Open connections of a witness. */
export const WITNESS_CONNECTIONS_MAX = 1_000;
/** Time in which a request to a witness must be complete. */
export const WITNESS_REQUEST_MAX_MS = 10_000;
/** Checkpoints of one log that wait in a witness. */
export const WITNESS_WAITING_MAX = 16;
/** Witnesses in the policy of a service. */
export const WITNESSES_MAX = 32;
/** Time after which a checkpoint without a quorum of witnesses is served in place of an older one with a quorum, and for which the proof of a new message waits for witnesses. */
export const WITNESSED_PATIENCE_S = 10;
/** Time that the service gives a witness for a response. */
export const WITNESS_PATIENCE_MS = 5_000;
/** Bytes of a witness's response. */
export const WITNESS_RESPONSE_MAX_BYTES = 16 * 1024;
/** Longest pause before a witness that has failed is asked again. */
export const WITNESS_BACKOFF_MAX_S = 60;
/** Time that the service gives a timestamp authority for a response. */
export const TIMESTAMP_PATIENCE_MS = 20_000;
/** Bytes of a timestamp authority's response. */
export const TIMESTAMP_RESPONSE_MAX_BYTES = 64 * 1024;
