import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestBusiness, type TestService } from '../server/test/support/service.ts';

const PROGRAM = path.join(import.meta.dirname, 'worker.ts');

let service: TestService;
let [acme, globex] = [] as unknown as [TestBusiness, TestBusiness];

beforeAll(async () => {
  service = await startTestService();
  [acme, globex] = [await service.business('acme'), await service.business('globex')];
});
afterAll(() => service.stop());

test('takes messages, acknowledges them, and gives back what it can’t deal with', async () => {
  const worker = spawn(process.execPath, [PROGRAM], { env: { URL: service.url, KEY: globex.secret } });
  try {
    let output = '';
    worker.stdout.on('data', (text) => {
      output += text;
    });
    await expect.poll(() => output, { timeout: 60_000 }).toBe('working\n');
    await acme.api.send({ to: 'globex', type: 'poison' });
    const { body } = await acme.api.send({ to: 'globex', type: 'order', subject: 'Order 4711' });
    await expect.poll(() => output, { timeout: 60_000 }).toBe(`working\n${body.id} order Order 4711\n`);
    await expect
      .poll(async () => (await globex.api.get('/consumers/worker')).body, { timeout: 60_000 })
      .toMatchObject({ lag: 0, leased: 0 });
    const waiting = await service.sql(`SELECT state::text, reason FROM consumer_messages`);
    expect(waiting).toEqual([{ state: 'waiting', reason: 'Error: can’t deal with it' }]);
  } finally {
    worker.kill('SIGKILL');
  }
});
