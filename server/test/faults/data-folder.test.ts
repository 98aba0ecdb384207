import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Api } from '../support/api.ts';
import { Load } from '../support/load.ts';
import { everyPage, ids } from '../support/pages.ts';
import { startPrepared } from '../support/prepared-folder.ts';
import {
  childrenOf,
  isAlive,
  postmasterOf,
  runProgram,
  type ServiceProcess,
  spawnProgram,
  startProcess,
  temporaryFolder,
  titleOf,
  until,
} from '../support/process.ts';

const unlimited = { RATE_LIMIT_PER_MINUTE: '0', MONTHLY_MESSAGE_LIMIT: '0' };

test('two services run side by side, each with a data folder and businesses of its own', async () => {
  const folders = [temporaryFolder(), temporaryFolder()];
  const [one, other] = (await Promise.all(folders.map((folder) => startProcess({ env: { DATA_DIR: folder } })))) as [
    ServiceProcess,
    ServiceProcess,
  ];
  for (const service of [one, other]) expect((await service.api('acme/purchasing').send({ to: 'globex' })).status).toBe(201);
  expect((await new Api(other.url, one.keys['acme/purchasing']).get('/me')).status).toBe(401);
  await one.stop();
  expect((await other.api('globex/orders').get('/inbox')).body.data).toHaveLength(1);
  await other.stop();
});

test('a data folder has a key that only its owner reads, and without it the service does not start', async () => {
  const dataFolder = temporaryFolder();
  const env = { DATA_DIR: dataFolder, WEBHOOK_PRIVATE_HOSTS: '127.0.0.1' };
  const service = await startProcess({ env });
  const file = path.join(dataFolder, 'secrets.key');
  const key = readFileSync(file, 'utf8');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataFolder).filter((name) => name.startsWith('secrets.key'))).toEqual(['secrets.key']);
  const { status } = await service.api('acme/purchasing').write('POST', '/webhooks', { url: 'http://127.0.0.1:9/' });
  expect(status).toBe(201);
  await service.stop();
  renameSync(file, `${file}.lost`);
  const { code, stderr } = await runProgram('main', { env: { ...env, PORT: '0' } });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Secrets of webhooks are encrypted with the key [0-9a-f]{8}: .+$/m);
  expect(existsSync(file)).toBe(false);
  renameSync(`${file}.lost`, file);
  const again = await startProcess({ env });
  expect(readFileSync(file, 'utf8')).toBe(key);
  await again.stop();
});

test('a second service on the same data folder ends with one sentence that names the folder and the process', async () => {
  const first = await startPrepared();
  const env = { DATA_DIR: first.dataFolder };
  const { code, stderr } = await runProgram('main', { env: { ...env, PORT: '0' } });
  expect(code).toBe(1);
  expect(stderr.match(/\n/g)).toHaveLength(1);
  expect(stderr.match(/\.(\s|$)/g)).toHaveLength(1);
  expect(stderr).toContain(env.DATA_DIR);
  expect(stderr).toContain(`process ${first.pid}`);
  expect((await first.api('acme/purchasing').send({ to: 'globex' })).status).toBe(201);
  await first.stop();
});

test('after kill -9 of the service a restart takes over from the PostgreSQL that still runs', async () => {
  const { service, env, key, id } = await startWithMessage();
  const orphan = postmasterOf(env.DATA_DIR);
  await service.stop('SIGKILL');
  expect(isAlive(orphan)).toBe(true);
  const again = await startProcess({ env });
  expect(isAlive(orphan)).toBe(false);
  await expectMessage(again, key, id);
});

test('after kill -9 of the service and of PostgreSQL a restart recovers', async () => {
  const { service, env, key, id } = await startWithMessage();
  await killBoth(service, env.DATA_DIR);
  const again = await startProcess({ env });
  expect(readFileSync(path.join(env.DATA_DIR, 'postgres.log'), 'utf8')).toContain('automatic recovery');
  await expectMessage(again, key, id);
});

test('a stale postmaster.pid that names some other process neither stops the restart nor harms that process', async () => {
  const { service, env, key, id } = await startWithMessage();
  await killBoth(service, env.DATA_DIR);
  const stranger = spawn('sleep', ['600'], { stdio: 'ignore' });
  try {
    const pidFile = path.join(env.DATA_DIR, 'postgres/postmaster.pid');
    writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(/^\d+/, String(stranger.pid)));
    const again = await startProcess({ env });
    expect(stranger.exitCode ?? stranger.signalCode).toBe(null);
    await expectMessage(again, key, id);
  } finally {
    stranger.kill('SIGKILL');
  }
});

test('after kill -9 of PostgreSQL alone the service recovers by itself, responds with 503 meanwhile, and loses nothing', async () => {
  const service = await startPrepared({ env: unlimited });
  const env = { DATA_DIR: service.dataFolder };
  const load = new Load(service.api('acme/purchasing'), 4);
  for (let round = 0; round < 3; round++) {
    await load.untilAcknowledged(100);
    const before = postmasterOf(env.DATA_DIR);
    process.kill(before, 'SIGKILL');
    await load.untilRefused();
    await until(async () => (await fetch(`${service.url}/readyz`)).status === 200);
    expect(postmasterOf(env.DATA_DIR)).not.toBe(before);
  }
  await load.untilAcknowledged(100);
  await load.stop();

  expect(load.oddResponses).toEqual([]);
  const inbox = ids((await everyPage(service.api('globex/orders'), '/inbox', { limit: 200 })).flat());
  expect(new Set(inbox).size).toBe(inbox.length);
  expect(inbox).toEqual(expect.arrayContaining(load.acknowledged));
  expect(await service.stop()).toMatchObject({ code: 0 });
});

test('kill -9 of a single backend is a short interruption, and every response is 201 or 503', async () => {
  const service = await startPrepared({ env: unlimited });
  const env = { DATA_DIR: service.dataFolder };
  const load = new Load(service.api('acme/purchasing'), 4);
  await load.untilAcknowledged(100);
  const postmaster = postmasterOf(env.DATA_DIR);
  const [backend] = backendsOf(postmaster);
  process.kill(backend as number, 'SIGKILL');
  await load.untilRefused();
  await load.untilAcknowledged(100);
  await load.stop();
  expect(load.oddResponses).toEqual([]);
  expect(postmasterOf(env.DATA_DIR)).toBe(postmaster);
  const inbox = ids((await everyPage(service.api('globex/orders'), '/inbox', { limit: 200 })).flat());
  expect(inbox).toEqual(expect.arrayContaining(load.acknowledged));
  await service.stop();
});

test('what an interrupted creation of the database left behind is cleared away', async () => {
  const env = { DATA_DIR: temporaryFolder() };
  const aside = path.join(env.DATA_DIR, 'postgres.new-Ab12Cd');
  mkdirSync(path.join(aside, 'base/1'), { recursive: true });
  writeFileSync(path.join(aside, 'PG_VERSION'), '17\n');
  writeFileSync(path.join(aside, 'base/1/rubbish'), 'rubbish');
  const service = await startProcess({ env });
  expect(Object.keys(service.keys)).toHaveLength(4);
  expect(existsSync(aside)).toBe(false);
  await service.stop();
});

test('kill -9 in the middle of the creation of the database, then a start at once, works and shows the keys', async () => {
  const env = { DATA_DIR: temporaryFolder() };
  const unfinished = () => readdirSync(env.DATA_DIR).filter((name) => name.startsWith('postgres.new-'));
  const child = spawnProgram('main', { env: { ...env, PORT: '0' } });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await until(() => unfinished().some((name) => existsSync(path.join(env.DATA_DIR, name, 'base'))));
  child.kill('SIGKILL');
  await ended;
  const service = await startProcess({ env });
  expect(Object.keys(service.keys)).toHaveLength(4);
  expect(unfinished()).toEqual([]);
  await service.stop();
});

async function startWithMessage(): Promise<{ service: ServiceProcess; env: { DATA_DIR: string }; key: string; id: string }> {
  const service = await startPrepared();
  const sent = await service.api('acme/purchasing').send({ to: 'globex', json: { a: 1 } });
  expect(sent.status).toBe(201);
  return { service, env: { DATA_DIR: service.dataFolder }, key: service.keys['globex/orders'] as string, id: sent.body.id };
}

async function expectMessage(service: ServiceProcess, key: string, id: string): Promise<void> {
  const inbox = await new Api(service.url, key).get('/inbox');
  expect(ids(inbox.body.data)).toEqual([id]);
  expect(await service.stop()).toMatchObject({ code: 0 });
}

async function killBoth(service: ServiceProcess, dataFolder: string): Promise<void> {
  const postmaster = postmasterOf(dataFolder);
  await service.stop('SIGKILL');
  process.kill(postmaster, 'SIGKILL');
  await until(() => !isAlive(postmaster));
}

/** The connections of the service, found by the titles that PostgreSQL sets. The postmaster has the path of the checkout in its title. */
function backendsOf(postmaster: number): number[] {
  return childrenOf(postmaster).filter((pid) => titleOf(pid).startsWith('postgres: waybill waybill '));
}
