import os from 'node:os';

/** More than cores: most tests wait for PostgreSQL, a browser or a process as long as they compute. */
export const WORKERS = Math.min(os.availableParallelism() + 1, 16);
