import { defineConfig } from 'vitest/config';
import LongestFirst from './server/test/support/longest-first.ts';
import { WORKERS } from './server/test/support/workers.ts';

/** For the projects that need a database and start processes; all of them share one PostgreSQL. */
const surroundings = { globalSetup: ['server/test/support/global-setup.ts'], setupFiles: ['server/test/support/clean-up.ts'] };

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: WORKERS,
    // What one file has loaded serves the next.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // A machine that is shared with others may stand still for a minute.
    testTimeout: 600_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      { extends: true, test: { name: 'unit', include: ['server/test/unit/**/*.test.ts', 'web/test/unit/**/*.test.ts'] } },
      { extends: true, test: { name: 'api', include: ['server/test/api/**/*.test.ts'], ...surroundings } },
      { extends: true, test: { name: 'faults', include: ['server/test/faults/**/*.test.ts', 'examples/**/*.test.ts'], ...surroundings } },
      { extends: true, test: { name: 'web', include: ['web/test/*.test.ts'], ...surroundings } },
    ],
  },
});
