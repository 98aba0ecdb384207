import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../server/test/support/free-port.ts';
import { receiverSettings } from '../server/test/support/receiver.ts';
import { startTestService, type TestBusiness, type TestService } from '../server/test/support/service.ts';

const PROGRAM = path.join(import.meta.dirname, 'webhook-receiver.ts');

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let url: string;
let webhookId: string;
let receiver: ChildProcess;
let output = '';

beforeAll(async () => {
  service = await startTestService({ ...receiverSettings, WEBHOOK_RETRY_DELAYS_S: '1' });
  acme = await service.business('acme');
  globex = await service.business('globex');
  const port = await freePort();
  url = `http://127.0.0.1:${port}/`;
  const { body } = await globex.api.write('POST', '/webhooks', { url });
  webhookId = body.id;
  receiver = spawn(process.execPath, [PROGRAM], { env: { WEBHOOK_SECRET: body.secret, PORT: String(port) } });
  receiver.stdout?.on('data', (text) => {
    output += text;
  });
  await once(receiver.stdout as Readable, 'data');
});
afterAll(async () => {
  receiver.kill();
  await service.stop();
});

test('has 20 lines beside its title', () => {
  expect(readFileSync(PROGRAM, 'utf8').trim().split('\n').length).toBeLessThanOrEqual(21);
});

test('takes what Waybill delivers', async () => {
  const { body } = await acme.api.send({ to: 'globex', type: 'order', subject: 'Order 4711', json: { a: 1 } });
  await expect.poll(() => output, { timeout: 10_000 }).toBe(`listening\nmessage.received ${body.id} order Order 4711\n`);
  const delivered = async () => (await globex.api.get(`/webhooks/${webhookId}/deliveries`)).body.data[0];
  await expect.poll(async () => (await delivered()).status).toBe('delivered');
  expect((await delivered()).status_code).toBe(204);
});

test('takes the test event', async () => {
  await globex.api.request('POST', `/v1/webhooks/${webhookId}/test`);
  await expect.poll(() => output, { timeout: 10_000 }).toMatch(/message\.test msg_\w+ message\.test/);
});

test.each([
  ['no signature', {}],
  ['a wrong one', { 'waybill-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` }],
  ['a malformed one', { 'waybill-signature': 't=1,v1=zz' }],
])('refuses what carries %s', async (_name, headers) => {
  const response = await fetch(url, { method: 'POST', body: '{"id":"msg_forged"}', headers: headers as Record<string, string> });
  expect(response.status).toBe(401);
  expect(output).not.toContain('forged');
});
