import os from 'node:os';

export const CORES = Math.min(os.availableParallelism(), 16);
/** Where tests wait for processes and pages, more of them than cores run side by side. */
export const WAITING_WORKERS = 2 * CORES;
