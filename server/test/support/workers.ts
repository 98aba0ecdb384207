import os from 'node:os';

export const CORES = Math.min(os.availableParallelism(), 16);
/** For tests that wait for responses and pages more than they compute. */
export const WAITING_WORKERS = Math.ceil(1.5 * CORES);
