import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** Runs the tests of object stores on the server that the environment names, instead of the one in the tests. */
const NEEDED = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
const SUITES = [
  'server/test/campaigns/object-stores.test.ts',
  'server/test/campaigns/object-parts.test.ts',
  'server/test/api/named-objects.test.ts',
];

if (NEEDED.some((name) => !process.env[name])) {
  console.error(
    'Set S3_ENDPOINT, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, and S3_REGION and S3_FORCE_PATH_STYLE where they differ: the tests make buckets waybill-test-… there, and remove them.',
  );
  process.exit(1);
}
const vitest = path.resolve(import.meta.dirname, '../../node_modules/.bin/vitest');
const { status } = spawnSync(vitest, ['run', ...SUITES], { stdio: 'inherit', env: { ...process.env, TEST_S3: 'true' } });
process.exit(status ?? 1);
