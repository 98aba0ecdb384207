// # The log

/** Leaves in a batch: as many as messages in a commit. */
export const LOG_BATCH_MAX_LEAVES = 256;
/** Batches that the sequencer places at a time. */
export const LOG_ROUND_MAX_BATCHES = 2_048;
/** Leaves of these batches. */
export const LOG_ROUND_MAX_LEAVES = 32_768;
/** Milliseconds between two checkpoints, while there is something new. */
export const LOG_CHECKPOINT_EVERY_MS = 1_000;
/** Seconds for which a leaf may wait for its checkpoint before `/readyz` names it as a fault of the log. */
export const LOG_LATE_AFTER_S = 60;
/** Milliseconds for which a checkpoint waits for a standby at a time, with `LOG_WAIT_FOR_STANDBY`. */
export const LOG_STANDBY_PATIENCE_MS = 1_000;
/** Minutes for which a checkpoint is kept that a newer one stands for; one with a timestamp is kept for ever. */
export const LOG_CHECKPOINTS_KEPT_MINUTES = 60;
/** Minutes between two timestamps of checkpoints. */
export const LOG_TIMESTAMP_EVERY_MINUTES = 60;
/** Days before its certificate or an algorithm ends in which a timestamp is renewed: proofs have a later one that vouches for it, and the log gets one although there is nothing new. */
export const LOG_TIMESTAMP_RENEWED_BEFORE_DAYS = 90;
/** Hours between two such timestamps of a log with nothing new. */
export const LOG_TIMESTAMP_RENEWED_EVERY_HOURS = 24;
/** Days before the newest timestamp ends in which `/readyz` says so. */
export const LOG_TIMESTAMP_NOTICE_DAYS = 30;
/** Bytes of a list of revoked certificates that is kept with a timestamp. */
export const REVOCATION_LIST_MAX_BYTES = 256 * 1024;
/** Such lists of one timestamp. */
export const REVOCATION_LISTS_MAX = 3;
/** Hours for which lists are asked for in vain; then the timestamp is kept without them. */
export const REVOCATION_TRIED_FOR_HOURS = 24;
/** Minutes for which a list, or that it can't be got, is remembered. */
export const REVOCATION_ASKED_EVERY_MINUTES = 10;
/** Milliseconds that the program of `LOG_KEY_COMMAND` may take for a signature. */
export const LOG_KEY_COMMAND_PATIENCE_MS = 5_000;
/** Days for which the key before also signs, so that verifiers can learn the new one. */
export const LOG_OLD_KEY_SIGNS_DAYS = 30;
/** Characters of the reason that an operator gives for a new log. */
export const LOG_REASON_MAX_CHARS = 500;

// # Promises of the log

/** Seconds within which a message is in the log, as the response to its send promises. */
export const PROMISE_INCLUSION_WITHIN_S = 600;
/** Seconds for which the key of the log certifies a key that signs promises, one for each process. */
export const PROMISE_KEY_LIFETIME_S = 7_200;
/** Seconds after which such a key is replaced by another one. */
export const PROMISE_KEY_RENEWED_AFTER_S = 3_600;
/** Seconds until the key of the log is asked again, if it did not certify a key. */
export const PROMISE_KEY_TRIED_AGAIN_AFTER_S = 60;
/** Milliseconds between two looks at the log: while it is at fault, sends have no promises. */
export const PROMISE_KEY_CHECKED_EVERY_MS = 10_000;
/** Promises that share a signature. */
export const PROMISES_PER_SIGNATURE_MAX = 256;
/** Milliseconds for which a send with `Prefer: wait=logged` waits for its proof; then the response comes without it. */
export const LOGGED_WAIT_MAX_MS = 5_000;
/** Sends that wait so at a time, in each process; others get their responses at once. */
export const LOGGED_WAITS_MAX = 256;
/** Sends of one business among these. */
export const LOGGED_WAITS_PER_BUSINESS_MAX = 16;
/** Milliseconds between two looks for a new checkpoint, while sends wait for one. */
export const LOGGED_WAIT_LOOK_EVERY_MS = 200;
