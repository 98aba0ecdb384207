import os from 'node:os';

export const CORES = Math.min(os.availableParallelism(), 16);
/** The number of workers for tests that mostly wait for responses and pages. */
export const WAITING_WORKERS = Math.ceil(1.5 * CORES);
