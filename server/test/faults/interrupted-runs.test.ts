import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CHECKOUT, processesIn, temporaryFolder, titleOf, until } from '../support/process.ts';
import { FOLDERS_SETTING } from '../support/run-folders.ts';

/** Ctrl-C goes to the whole process group, and kills to the process that they name. */
test.each([
  ['Ctrl-C', 'SIGINT', -1],
  ['SIGTERM', 'SIGTERM', 1],
  ['kill -9', 'SIGKILL', 1],
] as const)('a run that is ended by %s leaves no PostgreSQL and no folder behind', async (_, signal, group) => {
  const tmp = temporaryFolder();
  const { DATABASE_URL: _url, CITUS_NODES: _nodes, [FOLDERS_SETTING]: _folders, ...env } = process.env;
  const runner = spawn(process.execPath, ['server/test/run.ts', 'server/test/api/usage.test.ts'], {
    cwd: CHECKOUT,
    env: { ...env, TMPDIR: tmp },
    stdio: 'ignore',
    detached: true,
  });
  await until(() => processesIn(tmp).some((pid) => titleOf(pid).includes('postgres')));
  process.kill(group * (runner.pid ?? 0), signal);
  await until(() => readdirSync(tmp).every((name) => !name.startsWith('waybill-')));
  expect(processesIn(tmp)).toEqual([]);
});
