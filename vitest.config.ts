import { defineConfig } from 'vitest/config';

/** They end the processes they have started after each file, and so are loaded anew for each. */
const ALONE = ['server/test/api/owner-alone.test.ts', 'server/test/api/inbound-mail-smtp.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['server/test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // A machine that is shared with others may stand still for a minute.
    testTimeout: 600_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      // What one file has loaded serves the next: a sixth of all time.
      {
        extends: true,
        test: {
          name: 'together',
          include: ['web/test/**/*.test.ts', 'server/test/*.test.ts', 'server/test/api/**/*.test.ts'],
          exclude: ALONE,
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ['server/test/faults/**/*.test.ts', 'examples/**/*.test.ts', ...ALONE] },
      },
    ],
  },
});
