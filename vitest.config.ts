import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['web/test/**/*.test.ts', 'server/test/**/*.test.ts', 'examples/**/*.test.ts'],
    globalSetup: ['server/test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
