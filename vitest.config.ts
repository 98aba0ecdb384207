import { defineConfig } from 'vitest/config';
import LongestFirst from './server/test/support/longest-first.ts';
import { CORES, WAITING_WORKERS } from './server/test/support/workers.ts';

/** For the projects that need a database and start processes; all of them share one PostgreSQL. */
const surroundings = { globalSetup: ['server/test/support/global-setup.ts'], setupFiles: ['server/test/support/clean-up.ts'] };
/** Tests that kill processes depend on leases and time-outs of seconds, so each has a core. They take longest, and so run first. */
const alone = { maxWorkers: CORES, sequence: { groupOrder: 0 } };
/** Tests that wait for responses and pages: more of them than cores. */
const waiting = { maxWorkers: WAITING_WORKERS, sequence: { groupOrder: 1 } };
/** Tests that compare times, memory or processor time: a core each, when nothing else runs. */
const measured = { maxWorkers: CORES, sequence: { groupOrder: 2 } };

export default defineConfig({
  test: {
    pool: 'forks',
    // What one file has loaded serves the next.
    isolate: false,
    // Node loads TypeScript itself, and caches what it compiled for the next run. Vite would transform each file first. A test must not import
    // web/vite.config.ts: Tailwind's plugin changes how Node loads modules, and vitest would find no tests in the files after it.
    experimental: { viteModuleRunner: false },
    sequence: { sequencer: LongestFirst },
    // A machine that is shared with others may stand still for a minute.
    testTimeout: 600_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['server/test/unit/**/*.test.ts', 'web/test/unit/**/*.test.ts'],
          ...waiting,
        },
      },
      { extends: true, test: { name: 'api', include: ['server/test/api/**/*.test.ts'], ...surroundings, ...waiting } },
      { extends: true, test: { name: 'campaigns', include: ['server/test/campaigns/*.test.ts'], ...surroundings, ...waiting } },
      { extends: true, test: { name: 'documents', include: ['server/test/documents/*.test.ts'], ...surroundings, ...waiting } },
      {
        extends: true,
        test: { name: 'faults', include: ['server/test/faults/**/*.test.ts', 'examples/**/*.test.ts'], ...surroundings, ...alone },
      },
      {
        extends: true,
        test: { name: 'packages', include: ['packages/*/test/*.test.ts', 'clients/test/*.test.ts'], ...surroundings, ...waiting },
      },
      { extends: true, test: { name: 'distribution', include: ['distribution/test/*.test.ts'], ...surroundings, ...alone } },
      { extends: true, test: { name: 'web', include: ['web/test/*.test.ts'], ...surroundings, ...waiting } },
      ...(process.env['CITUS_NODES']
        ? [{ extends: true as const, test: { name: 'citus', include: ['server/test/citus/*.test.ts'], ...surroundings, ...alone } }]
        : []),
      ...(process.env['PKCS11_MODULE']
        ? [{ extends: true as const, test: { name: 'hsm', include: ['server/test/hsm/*.test.ts'], ...surroundings, ...waiting } }]
        : []),
      { extends: true, test: { name: 'measured', include: ['server/test/measured/*.test.ts'], ...surroundings, ...measured } },
    ],
  },
});
