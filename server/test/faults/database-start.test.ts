import path from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { startGate } from '../support/gate.ts';
import { collected, runProgram, spawnProgram, temporaryFolder, until } from '../support/process.ts';
import { createCluster, handOver, queryAt, startCluster } from '../support/tcp-postgres.ts';

test('a start waits for a database that is not there yet, and says so', async () => {
  const [folder, port] = [temporaryFolder(), await freePort()];
  handOver(folder);
  const cluster = path.join(folder, 'cluster');
  createCluster(cluster);
  const DATABASE_URL = `postgres://waybill@127.0.0.1:${port}/postgres`;
  const child = spawnProgram('main', { env: { PORT: '0', DATABASE_URL, DATABASE_START_S: '600' } });
  const { text, ended } = collected(child);
  await until(() => /waiting for the database, for up to \d+ s more/.test(text().stdout));
  expect(text().stdout).toContain('ECONNREFUSED');
  await startCluster(cluster, port);
  await until(() => text().stdout.includes('/v1\n'));
  expect((await queryAt(port, 'SELECT FROM parties')).length).toBeGreaterThan(0);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

test('a start that gives up names each server with its reason, and no password', async () => {
  const [one, other] = [await freePort(), await freePort()];
  const DATABASE_URL = `postgres://waybill:hidden@127.0.0.1:${one},127.0.0.1:${other}/waybill`;
  const { code, stderr } = await runProgram('main', { env: { PORT: '0', DATABASE_URL, DATABASE_START_S: '0' } });
  expect(code).toBe(1);
  for (const port of [one, other]) expect(stderr).toContain(`127.0.0.1:${port} (connect ECONNREFUSED 127.0.0.1:${port})`);
  expect(stderr).not.toContain('hidden');
});

test('a start gives up a server that accepts connections and stays silent, and names it', async () => {
  const silent = await startGate(await freePort());
  const DATABASE_URL = `postgres://waybill:hidden@127.0.0.1:${silent.port}/waybill`;
  const { code, stderr } = await runProgram('main', { env: { PORT: '0', DATABASE_URL, DATABASE_START_S: '0' } });
  expect(silent.held()).toBeGreaterThan(0);
  expect(code).toBe(1);
  expect(stderr).toContain(`no response from 127.0.0.1:${silent.port} within 5 s`);
  expect(stderr).not.toContain('hidden');
  await silent.stop();
});
