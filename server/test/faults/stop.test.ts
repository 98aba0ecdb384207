import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Api } from '../support/api.ts';
import { listen } from '../support/event-stream.ts';
import { everyPage, ids } from '../support/pages.ts';
import { startPrepared } from '../support/prepared-folder.ts';
import { CHECKOUT, parentOf, postmasterOf, processesIn, spawnProgram, startProcess, temporaryFolder, until } from '../support/process.ts';
import { openSocket } from '../support/raw-http.ts';

/** The time at which the service cuts off unfinished requests. A clean stop takes far less. */
const FORCE_MS = 25_000;

describe.each([
  ['SIGTERM', '1'],
  ['SIGINT', '1'],
  ['SIGTERM', '2'],
] as const)('%s under load, with %s processes', (signal, processes) => {
  test('completes requests under way, accepts no new ones, and stops PostgreSQL last', async () => {
    const service = await startPrepared({ env: { RATE_LIMIT_PER_MINUTE: '0' }, args: ['--processes', processes] });
    const { dataFolder } = service;
    const acme = service.api('acme/purchasing');
    const load = sendUntilGone(acme);
    const slow = await beginSending(acme);
    // The stop waits neither for event streams nor for idle connections.
    const stream = await listen(service.url, { authorization: `Bearer ${service.keys['globex/orders']}` });
    const unused = await openSocket(service.url);
    await until(() => load.acknowledged.size > 50);

    const signalledAt = Date.now();
    const stopped = service.stop(signal);
    await until(() => isRefused(service.url));
    // The port is closed, but the database still commits requests under way.
    const response = await slow.finish({ to: 'globex', subject: 'slow' });
    expect(response.status).toBe(201);
    expect(await stopped).toMatchObject({ code: 0 });
    await stream.ended;
    unused.destroy();
    expect(Date.now() - signalledAt).toBeLessThan(FORCE_MS);
    expect(processesIn(dataFolder)).toEqual([]);
    expect(readFileSync(path.join(dataFolder, 'postgres.log'), 'utf8').trimEnd()).toMatch(/database system is shut down$/);
    await load.done;
    expect([...load.statuses]).toEqual([201]);

    const again = await startProcess({ env: { DATA_DIR: dataFolder } });
    const delivered = (await everyPage(new Api(again.url, service.keys['globex/orders']), '/inbox', { limit: 200 })).flat();
    expect(ids(delivered)).toEqual(expect.arrayContaining([...load.acknowledged, response.id]));
    await again.stop();
  });
});

test('a stop that was asked for twice is done once', async () => {
  const service = await startPrepared();
  const { dataFolder } = service;
  const slow = await beginSending(service.api('acme/purchasing'));
  const stopped = service.stop('SIGTERM');
  await until(() => isRefused(service.url));
  void service.stop('SIGINT');
  expect((await slow.finish({ to: 'globex' })).status).toBe(201);
  expect(await stopped).toMatchObject({ code: 0 });
  expect(processesIn(dataFolder)).toEqual([]);
});

test('SIGTERM to npm start reaches the service, and stops it all', async () => {
  const dataFolder = temporaryFolder();
  const npm = spawn('npm', ['start'], { cwd: CHECKOUT, env: { ...process.env, DATA_DIR: dataFolder, PORT: '0' } });
  let output = '';
  npm.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const ended = new Promise((resolve) => npm.once('close', resolve));
  await until(() => output.includes('Waybill is ready.'));
  npm.kill('SIGTERM');
  await ended;
  expect(output).toContain('Stopping');
  expect(processesIn(dataFolder)).toEqual([]);
});

test('SIGTERM during the first start leaves no PostgreSQL behind', async () => {
  const dataFolder = temporaryFolder();
  const child = spawnProgram('main', { env: { DATA_DIR: dataFolder, PORT: '0' } });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await until(() => isRunning(dataFolder));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(processesIn(dataFolder)).toEqual([]);
});

test('SIGTERM while PostgreSQL is being started again leaves none behind', async () => {
  const service = await startPrepared();
  const { dataFolder } = service;
  const before = postmasterOf(dataFolder);
  process.kill(before, 'SIGKILL');
  await until(() => processesIn(dataFolder).some((pid) => pid !== before && parentOf(pid) === service.pid));
  expect(await service.stop()).toMatchObject({ code: 0 });
  expect(processesIn(dataFolder)).toEqual([]);
});

function isRunning(dataFolder: string): boolean {
  try {
    return postmasterOf(dataFolder) > 0;
  } catch {
    return false;
  }
}

async function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const request = http.get({ hostname, port, path: '/healthz', agent: false }, (response) => {
      response.resume();
      resolve(false);
    });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
}

/** Eight senders, each until the service can't be reached. */
function sendUntilGone(api: Api): { acknowledged: Set<string>; statuses: Set<number>; done: Promise<unknown> } {
  const acknowledged = new Set<string>();
  const statuses = new Set<number>();
  const sender = async () => {
    for (let n = 0; ; n++) {
      const response = await api.send({ to: 'globex', json: { n } }).catch(() => undefined);
      if (!response) return;
      statuses.add(response.status);
      acknowledged.add(response.body.id);
    }
  };
  return { acknowledged, statuses, done: Promise.all(Array.from({ length: 8 }, sender)) };
}

/** Begins a send with its head alone. Its connection stays open after the response. */
async function beginSending(api: Api): Promise<{ finish(body: object): Promise<{ status: number; id: string }> }> {
  const request = http.request(`${api.url}/v1/messages`, {
    method: 'POST',
    agent: new http.Agent({ keepAlive: true }),
    headers: { authorization: `Bearer ${api.secret}`, 'content-type': 'application/json', expect: '100-continue' },
  });
  request.flushHeaders();
  await new Promise((resolve, reject) => {
    request.once('continue', resolve);
    request.once('error', reject);
  });
  return {
    finish: async (body) => {
      const responded = new Promise<http.IncomingMessage>((resolve, reject) => {
        request.once('response', resolve);
        request.once('error', reject);
      });
      request.end(JSON.stringify(body));
      const response = await responded;
      const text = (await response.toArray()).join('');
      return { status: response.statusCode ?? 0, id: JSON.parse(text).id };
    },
  };
}
