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
/** Milliseconds that the program of `LOG_KEY_COMMAND` may take for a signature. */
export const LOG_KEY_COMMAND_PATIENCE_MS = 5_000;
/** Days for which the key before also signs, so that verifiers can learn the new one. */
export const LOG_OLD_KEY_SIGNS_DAYS = 30;
/** Characters of the reason that an operator gives for a new log. */
export const LOG_REASON_MAX_CHARS = 500;
