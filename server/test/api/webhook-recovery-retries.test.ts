import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { attemptsOf, createWebhook, hasSucceeded } from '../support/webhook-log.ts';

const PATIENTLY = { timeout: 60_000, interval: 25 };

let service: TestService;
let receiver: Receiver;
let sender: TestBusiness;
let acme: TestBusiness;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ ...receiverSettings, WEBHOOK_RETRY_DELAYS_S: '3600' });
  [sender, acme] = [await service.business('sender'), await service.business('acme')];
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

test('a message that waits for its retry is counted as such, and queued only if all are wanted', async () => {
  const webhook = await createWebhook(acme.api, receiver.url('/hook'));
  await hasSucceeded(service, webhook);
  const send = async () => expect((await sender.api.send({ to: 'acme' })).status).toBe(201);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const recovered = async (only?: string) => {
    const { status, text, body } = await acme.api.write('POST', `/webhooks/${webhook.id}/recover`, { since, ...(only && { only }) });
    expect(status, text).toBe(202);
    expect(body).toMatchObject({ queued: 0, retrying: 0 });
    const shown = async () => (await acme.api.get(`/webhooks/${webhook.id}/recoveries/${body.id}`)).body;
    await expect.poll(async () => (await shown()).state, PATIENTLY).toBe('completed');
    return shown();
  };

  receiver.respond = withStatus(500);
  await send();
  expect(await attemptsOf(acme.api, webhook.id, 1)).toMatchObject([{ status: 'retrying', status_code: 500 }]);
  expect(await recovered()).toMatchObject({ total: 1, done: 1, queued: 0, retrying: 1 });

  receiver.respond = withStatus(204);
  await send();
  await attemptsOf(acme.api, webhook.id, 2);
  for (const only of ['undelivered', 'failed', 'missing'])
    expect(await recovered(only)).toMatchObject({ only, total: 2, done: 2, queued: 0, retrying: 1 });
  expect(await recovered('all')).toMatchObject({ total: 2, done: 2, queued: 2, retrying: 0 });
  await acme.api.patch(`/webhooks/${webhook.id}`, { types: ['invoice'] });
  expect(await recovered()).toMatchObject({ total: 2, done: 2, queued: 0, retrying: 0 });
});
