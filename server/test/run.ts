import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { FOLDERS_SETTING } from './support/run-folders.ts';
import { REPORT_SETTING, type RunReport, secondTriesOf } from './support/run-report.ts';

/**
 * `npm test`: every check, and the tests of units and of the API. `npm run test:long`: all other tests. `npm test -- <what>`: only the tests
 * that vitest finds for it, by path, part of a path, or -t and part of a name. Exit status: 0 if all passed, 1 if something failed, 3 if all
 * that ran passed but the web tests could not run.
 */
const WEB_NOT_RUN = 3;
const LONG = '--long';
const SHORT_PROJECTS = ['unit', 'api'];
const LONG_PROJECTS = ['campaigns', 'documents', 'faults', 'packages', 'distribution', 'web', 'measured'];
const SLOWEST_SHOWN = 10;
const ROOT = path.resolve(import.meta.dirname, '../..');
const BIN = path.join(ROOT, 'node_modules/.bin');
const folders = path.join(mkdtempSync(path.join(os.tmpdir(), 'waybill-run-')), 'folders');
writeFileSync(folders, '');
/** Compiled code is cached for all processes of the tests, and for the next run. */
const env = { NODE_COMPILE_CACHE: path.join(ROOT, 'node_modules/.cache/compiled'), ...process.env, [FOLDERS_SETTING]: folders };

/** Starts the warden in its own process group, which Ctrl-C does not reach. */
function startWarden(): () => Promise<unknown> {
  const warden = spawn(process.execPath, [path.join(import.meta.dirname, 'warden.ts'), folders], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });
  return () => {
    const ended = once(warden, 'exit');
    warden.stdin.end();
    return ended;
  };
}

function run(command: string, args: string[], more: Record<string, string> = {}): Promise<number> {
  const child = spawn(path.join(BIN, command), args, { cwd: ROOT, stdio: 'inherit', env: { ...env, ...more } });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

function outputOf(command: string, args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(path.join(BIN, command), args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** Runs all checks at once, and shows the output of those that fail. */
async function check(): Promise<boolean> {
  const checks: [name: string, command: string, args: string[]][] = [
    ['Format and lint', 'biome', ['check', '--error-on-warnings', '.']],
    ['Types', 'tsc', ['--noEmit']],
    ['Types of the pages', 'tsc', ['--noEmit', '-p', 'web']],
    ['Who may import whom', 'depcruise', ['--config', '.dependency-cruiser.cjs', 'server/src', 'packages/*/src']],
    [
      'Rules of React',
      'eslint',
      ['--config', 'web/eslint.config.js', '--cache', '--cache-location', 'node_modules/.cache/eslint/', 'web/src'],
    ],
  ];
  const results = await Promise.all(checks.map(async ([name, ...program]) => ({ name, ...(await outputOf(...program)) })));
  for (const { name, code, output } of results) console.log(code === 0 ? `${name}: ok` : `\n${output}\n${name}: failed.`);
  return results.every(({ code }) => code === 0);
}

async function testShort(): Promise<number> {
  // The pages are built once, so that services that start at the same time do not each build them.
  const [isFine] = await Promise.all([check(), build()]);
  return isFine && (await testProjects(SHORT_PROJECTS)) ? 0 : 1;
}

async function testLong(): Promise<number> {
  const { ensureChromium, CHROMIUM_MISSING } = await import('./chromium.ts');
  const hasChromium = ensureChromium(process.env['WAYBILL_TEST_INSTALL']);
  await build();
  const hasPassed = await testProjects(LONG_PROJECTS.filter((name) => hasChromium || name !== 'web'));
  if (!hasChromium) console.error(`The web tests were NOT run. ${CHROMIUM_MISSING}`);
  if (!hasPassed) return 1;
  return hasChromium ? 0 : WEB_NOT_RUN;
}

async function build(): Promise<void> {
  const { builtPages } = await import('../src/platform/processes/web-build.ts');
  await builtPages(console.log);
}

/** Returns whether all tests of the projects have passed, at the second try if need be. */
async function testProjects(names: readonly string[]): Promise<boolean> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-report-'));
  try {
    const file = path.join(folder, 'report.json');
    console.log('\nTests');
    const projects = names.map((name) => `--project=${name}`);
    const reporters = ['--reporter=default', '--reporter=./server/test/support/run-report.ts'];
    let status = await run('vitest', ['run', ...projects, ...reporters], { [REPORT_SETTING]: file });
    const report = JSON.parse(readFileSync(file, 'utf8')) as RunReport;
    const { again, hasFailed, why } = secondTriesOf(report);
    if (again.length > 0 || hasFailed) console.log(`\n${why}`);
    if (again.length > 0) status = await run('vitest', ['run', '--maxWorkers=1', ...again]);
    showSlowest(report.files);
    const second = status === 0 && again.length > 0 ? `. A fault to correct: passed at the second try only: ${again.join(', ')}` : '';
    console.log(`${report.passed} passed, ${report.failed} failed${second}`);
    return status === 0 && !hasFailed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function showSlowest(files: RunReport['files']): void {
  console.log(`\nThe ${SLOWEST_SHOWN} slowest files:`);
  for (const { name, seconds } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN))
    console.log(`${String(seconds).padStart(5)} s  ${name}`);
}

// Ctrl-C reaches vitest too, which stops PostgreSQL before it ends.
process.on('SIGINT', () => {});
const endRun = startWarden();
const startedAt = Date.now();
const chosen = process.argv.slice(2);
process.exitCode =
  chosen.length === 0 ? await testShort() : chosen[0] === LONG ? await testLong() : await run('vitest', ['run', ...chosen]);
if (chosen.length === 0 || chosen[0] === LONG) console.log(`${Math.round((Date.now() - startedAt) / 1000)} s in all`);
await endRun();
