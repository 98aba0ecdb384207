import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildCitus, programsWithCitus, startCitus } from './support/citus.ts';
import { handOver } from './support/tcp-postgres.ts';

/**
 * `npm run test:citus`: the tests of the API and those of faults, on a database that is distributed over two nodes of Citus. Arguments
 * choose other tests. With CITUS_MOVED=1, functions behave as after the move of each shard. CITUS_SOURCE names a folder with the sources of
 * Citus to build it from, where the system does not have it.
 */
const SHARDS = 4;
const SUITES = ['--project=api', '--project=campaigns', '--project=faults'];

const source = process.env['CITUS_SOURCE'];
if (programsWithCitus() === undefined && source !== undefined) buildCitus(source);
const programs = programsWithCitus();
if (programs === undefined) {
  console.log(
    'Skipped: there is no Citus here. Install it for a PostgreSQL of the system, or set CITUS_SOURCE to a folder with its sources.',
  );
  process.exit(0);
}
const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-citus-'));
handOver(folder);
const nodes = await startCitus(folder, programs);
const vitest = path.resolve(import.meta.dirname, '../../node_modules/.bin/vitest');
const chosen = process.argv.slice(2);
const run = spawn(vitest, ['run', ...(chosen.length > 0 ? chosen : SUITES)], {
  stdio: 'inherit',
  env: { ...process.env, CITUS_NODES: nodes.urls.join(' '), TEST_SHARDS: String(SHARDS) },
});
const code = await new Promise<number | null>((resolve) => run.once('close', resolve));
await nodes.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(code ?? 1);
