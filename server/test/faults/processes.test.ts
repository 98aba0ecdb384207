import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Api } from '../support/api.ts';
import { everyPage, ids } from '../support/pages.ts';
import { startPrepared } from '../support/prepared-folder.ts';
import {
  childrenOf,
  isAlive,
  killQuietly,
  processesIn,
  runProgram,
  startProcess,
  temporaryFolder,
  titleOf,
  until,
} from '../support/process.ts';

const env = { MONTHLY_MESSAGE_LIMIT: '0', RATE_LIMIT_PER_MINUTE: '0', PUBLIC_RATE_LIMIT_PER_MINUTE: '0' };
const args = ['--processes', '2'];

/** The serving processes: children of the started one, without PostgreSQL. */
function servingProcesses(pid: number): number[] {
  return childrenOf(pid).filter((child) => titleOf(child).includes('main.ts'));
}

/** A client that repeats requests without a response, with the same key, each on a new connection. */
async function sendOften(api: Api, count: number): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let i = 0; i < count; i++) {
    const headers = { 'idempotency-key': `${i}`, connection: 'close' };
    await until(async () => {
      const response = await api.send({ to: 'globex', json: { i } }, headers).catch(() => undefined);
      if (response?.status === 201) acknowledged.push(response.body.id);
      return response?.status === 201;
    });
  }
  return acknowledged;
}

test('two processes share one port, and one that is killed is replaced; nothing is lost', async () => {
  const service = await startPrepared({ env, args });
  const [one, other, ...more] = servingProcesses(service.pid);
  expect(more).toEqual([]);
  const sending = sendOften(service.api('acme/purchasing'), 300);
  killQuietly(one ?? 0);
  await until(() => !isAlive(one ?? 0) && servingProcesses(service.pid).length === 2);
  const acknowledged = await sending;
  expect(servingProcesses(service.pid)).toContain(other);
  expect(service.output()).toContain('a process ended unexpectedly (SIGKILL); starting another');

  const inbox = ids((await everyPage(service.api('globex/orders'), '/inbox', { limit: 200 })).flat());
  expect(inbox.toSorted()).toEqual(acknowledged.toSorted());
  expect(await service.stop()).toMatchObject({ code: 0 });
  expect(processesIn(service.dataFolder)).toEqual([]);
});

test('any of them responds with the metrics of all', async () => {
  const service = await startPrepared({ env, args });
  await sendOften(service.api('acme/purchasing'), 40);
  const sent = async () => {
    const { text } = await new Api(service.url).request('GET', '/metrics', { headers: { connection: 'close' } });
    return /waybill_http_responses_total\{method="POST",route="\/v1\/messages",status="201"\} (\d+)/.exec(text)?.[1];
  };
  for (let i = 0; i < 4; i++) expect(await sent()).toBe('40');
  await service.stop();
});

test('one that hangs is replaced, and the others respond meanwhile, metrics included', async () => {
  const service = await startPrepared({ env, args });
  const [hanging, other] = servingProcesses(service.pid);
  process.kill(hanging as number, 'SIGSTOP');
  onTestFinished(() => killQuietly(hanging as number));
  // The kernel still assigns connections to the hanging process.
  const ask = (path: string) =>
    fetch(`${service.url}${path}`, { headers: { connection: 'close' }, signal: AbortSignal.timeout(8_000) }).then(
      (response) => response.text(),
      () => '',
    );
  await until(async () => /^waybill_processes\{responds="no"\} 1$/m.test(await ask('/metrics')));
  await until(() => !isAlive(hanging as number) && servingProcesses(service.pid).length === 2);
  expect(servingProcesses(service.pid)).toContain(other);
  expect(service.output()).toContain('a process has been silent for 15 s; killing it');
  await until(async () => /^waybill_processes\{responds="yes"\} 2$/m.test(await ask('/metrics')));
  expect(await service.stop()).toMatchObject({ code: 0 });
});

test('without the process that started them, they end, and the next start finds everything', async () => {
  const service = await startPrepared({ env, args });
  const acknowledged = await sendOften(service.api('acme/purchasing'), 20);
  const serving = servingProcesses(service.pid);
  await service.stop('SIGKILL');
  await until(() => !serving.some(isAlive));
  const again = await startProcess({ env: { ...env, DATA_DIR: service.dataFolder }, args });
  const inbox = await new Api(again.url, service.keys['globex/orders']).get('/inbox?limit=200');
  expect(ids(inbox.body.data).toSorted()).toEqual(acknowledged.toSorted());
  await again.stop();
});

describe('a start that fails', () => {
  test('says why once, and leaves nothing behind', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await until(() => taken.listening);
    const { port } = taken.address() as { port: number };
    const folder = temporaryFolder();
    const { code, stderr } = await runProgram('main', { env: { ...env, DATA_DIR: folder, PORT: String(port) }, args });
    expect(code).toBe(1);
    expect(stderr.trim()).toBe(`Port ${port} is taken: set PORT to another one, or to 0 for any that is free.`);
    expect(processesIn(folder)).toEqual([]);
  });

  test.each(['0', '65', 'two', '-1'])('%j is no number of processes', async (processes) => {
    const { code, stderr } = await runProgram('main', { args: [`--processes=${processes}`] });
    expect(code).toBe(1);
    expect(stderr.trim()).toBe(`--processes must be auto or a number from 1 to 64, but is "${processes}".`);
  });
});
