import os from 'node:os';

/** One for each core: many tests compare times, or start processes that compute as much as they do. */
export const WORKERS = Math.min(os.availableParallelism(), 16);
