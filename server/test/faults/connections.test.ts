import { once } from 'node:events';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type ServiceProcess, startProcess, until } from '../support/process.ts';
import { createDatabase } from '../support/service.ts';

const DESCRIPTORS = 512;
/** (512 - 256) / 2, of which one network can have half. */
const FOR_ONE_NETWORK = 64;

/** Starts a service with a low limit of open files and sockets. */
async function startSmall(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const command = `ulimit -n ${DESCRIPTORS}; exec node_modules/.bin/node server/src/main.ts`;
  return startProcess({ env: { DATABASE_URL: await createDatabase(), ...env }, installed: ['bash', '-c', command] });
}

/** Opens silent connections from one address of this machine. */
async function connectOften({ url }: ServiceProcess, count: number, localAddress: string): Promise<Socket[]> {
  const { port } = new URL(url);
  const sockets = Array.from({ length: count }, () => connect({ host: '127.0.0.1', port: Number(port), localAddress }));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(
    sockets.map((socket) =>
      once(
        socket.on('error', () => {}),
        'connect',
      ).catch(() => {}),
    ),
  );
  return sockets;
}

const openOf = (sockets: Socket[]) => sockets.filter((socket) => !socket.destroyed && !socket.readableEnded).length;

interface Response {
  status: number | undefined;
  headers: http.IncomingHttpHeaders;
  body: string;
}

function get({ url }: ServiceProcess, path: string, localAddress: string): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = http.get(`${url}${path}`, { localAddress, agent: false }, async (response) => {
      const body = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode, headers: response.headers, body });
    });
    request.once('error', reject);
  });
}

/** Retries, because some of many refused connections are closed without a response. */
async function untilResponded(ask: () => Promise<Response>): Promise<Response> {
  let response: Response | undefined;
  await until(async () => {
    response = await ask().catch(() => undefined);
    return response !== undefined;
  });
  return response as Response;
}

test('idle connections use up neither the descriptors of the process nor the share of other networks', async () => {
  const service = await startSmall();
  const sockets = await connectOften(service, DESCRIPTORS + 200, '127.0.0.2');
  for (const socket of sockets) socket.resume();
  expect((await get(service, '/readyz', '127.0.0.3')).status).toBe(200);
  await until(() => openOf(sockets) <= FOR_ONE_NETWORK);

  const refused = await untilResponded(() => get(service, '/readyz', '127.0.0.2'));
  expect(refused).toMatchObject({ status: 503, headers: { connection: 'close', 'retry-after': '5' } });
  expect(JSON.parse(refused.body).error).toMatchObject({ code: 'unavailable', message: expect.stringMatching(/^Too many connections/) });
  expect((await get(service, '/healthz', '127.0.0.2')).status).toBe(200);

  for (const socket of sockets) socket.destroy();
  await until(async () => (await get(service, '/readyz', '127.0.0.2')).status === 200);
  expect(await service.stop()).toMatchObject({ code: 0 });
});

test('nor do those of all networks together use up the descriptors', async () => {
  const service = await startSmall({ TRUSTED_PROXIES: '127.0.0.4' });
  const sockets = await connectOften(service, DESCRIPTORS + 200, '127.0.0.4');
  for (const socket of sockets) socket.resume();
  await until(() => openOf(sockets) <= 2 * FOR_ONE_NETWORK);
  const refused = await untilResponded(() => get(service, '/readyz', '127.0.0.3'));
  expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  for (const socket of sockets) socket.destroy();
  await until(async () => (await untilResponded(() => get(service, '/readyz', '127.0.0.3'))).status === 200);
  expect(await service.stop()).toMatchObject({ code: 0 });
});

test('an error for want of descriptors that nobody catches does not end the process', async () => {
  const thrown = `process.once('SIGUSR2', () => setTimeout(() => { throw Object.assign(new Error('no room'), { code: 'EMFILE' }); }))`;
  const service = await startSmall({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(thrown)}` });
  process.kill(service.pid, 'SIGUSR2');
  await until(() => service.output().includes('descriptors of the process are used up'));
  expect((await get(service, '/readyz', '127.0.0.1')).status).toBe(200);
  expect(await service.stop()).toMatchObject({ code: 0 });
});

test('a proxy that the settings name has no share: it carries the connections of many', async () => {
  const service = await startSmall({ TRUSTED_PROXIES: '127.0.0.4' });
  const sockets = await connectOften(service, FOR_ONE_NETWORK + 20, '127.0.0.4');
  for (const socket of sockets) socket.resume();
  expect((await get(service, '/readyz', '127.0.0.4')).status).toBe(200);
  expect(openOf(sockets)).toBe(FOR_ONE_NETWORK + 20);
  await service.stop();
});
