import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { builtPages } from '../src/platform/web-build.ts';
import { ensureChromium } from './chromium.ts';

/** Every check and test, in the order in which they tell most for the least time. Stops at the first that fails. */
const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-report-'));
const report = path.join(folder, 'vitest.json');
const steps: [name: string, command: string, args: string[]][] = [
  ['Format and lint', 'biome', ['check', '--error-on-warnings', '.']],
  ['Types', 'tsc', ['--noEmit']],
  ['Types of the pages', 'tsc', ['--noEmit', '-p', 'web']],
  ['Who may import whom', 'depcruise', ['--config', '.dependency-cruiser.cjs', 'server/src']],
  ['Tests', 'vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]],
];

/** What has been compiled once is compiled for all the processes that the tests start. */
const env = { ...process.env, NODE_COMPILE_CACHE: path.join(folder, 'compiled') };
const bin = path.resolve(import.meta.dirname, '../../node_modules/.bin');
const startedAt = Date.now();
let failed = false;
ensureChromium();
// Once, before services that start at the same time would each do it.
await builtPages(console.log);
for (const [i, [name, command, args]] of steps.entries()) {
  console.log(`\n[${i + 1}/${steps.length}] ${name}`);
  const { status, error } = spawnSync(path.join(bin, command), args, { stdio: 'inherit', env });
  if (status !== 0) {
    console.error(`\n${name} failed.${error ? ` ${error.message}` : ''}`);
    failed = true;
    break;
  }
}

console.log(`\n${Math.round((Date.now() - startedAt) / 1000)} s in all`);
try {
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8')) as { numPassedTests: number; numFailedTests: number };
  console.log(`${numPassedTests} passed, ${numFailedTests} failed`);
} catch {
  console.log('No test was run.');
}
rmSync(folder, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;
