/** Leaves in a batch, which is as many as messages in a commit. */
export const LOG_BATCH_MAX_LEAVES = 256;
/** Leaves that the sequencer takes at a time. */
export const LOG_ROUND_MAX_LEAVES = 32_768;
/** While there is something new, a checkpoint is signed this often. */
export const LOG_CHECKPOINT_EVERY_MS = 500;
/** Checkpoints that nothing refers to are kept for so long. */
export const LOG_CHECKPOINTS_KEPT_MINUTES = 60;
/** For a program that signs checkpoints. */
export const LOG_KEY_COMMAND_PATIENCE_MS = 5_000;
