import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { type Receiver, receiverSettings, startReceiver } from '../support/receiver.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { attemptsOf, createWebhook, hasSucceeded } from '../support/webhook-log.ts';

const PATIENTLY = { timeout: 60_000, interval: 25 };

let service: TestService;
let receiver: Receiver;
let sender: TestBusiness;
let acme: TestBusiness;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService(receiverSettings);
  sender = await service.business('sender');
  acme = await service.business('acme');
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const kept = async ({ id }: { id: string }) =>
  (await service.sql('SELECT 1 FROM webhook_exchanges WHERE webhook_id = $1', [parseId('wh', id)])).length;

test('a busy webhook keeps the requests of a part of its attempts, and they go with the webhook', async () => {
  const webhook = await createWebhook(acme.api, receiver.url('/busy'));
  await hasSucceeded(service, webhook);
  for (let i = 0; i < 5; i++) await Promise.all(Array.from({ length: 30 }, () => sender.api.send({ to: 'acme' })));
  await attemptsOf(acme.api, webhook.id, 150);
  await expect.poll(() => kept(webhook), PATIENTLY).toBeGreaterThanOrEqual(100);
  expect(await kept(webhook)).toBeLessThan(150);
  expect((await acme.api.request('DELETE', `/v1/webhooks/${webhook.id}`)).status).toBe(204);
  await expect.poll(() => kept(webhook), PATIENTLY).toBe(0);
});

test('the newest thousand of a webhook are kept, as long as the log is; those of a webhook that is gone are not', async () => {
  const webhook = await createWebhook(acme.api, receiver.url('/many'));
  const [row] = await service.sql<{ party_id: string }>('SELECT party_id FROM webhooks WHERE id = $1', [parseId('wh', webhook.id)]);
  const database = service.database.of(BigInt(row?.party_id ?? 0));
  const insert = (id: string | undefined, count: number, age: string) =>
    database.queryText(
      `INSERT INTO webhook_exchanges (party_id, webhook_id, attempt_id, url, request_headers, body_sha256, is_truncated)
       SELECT $1, $2, new_uuid(now() - $4::interval), 'https://x.test/', '[]', '', false FROM generate_series(1, $3)`,
      [row?.party_id, id, count, age],
    );
  await insert(parseId('wh', webhook.id), 1_005, '1 hour');
  await insert(parseId('wh', webhook.id), 3, '40 days');
  const gone = await createWebhook(acme.api, receiver.url('/gone'));
  await service.sql('DELETE FROM webhooks WHERE id = $1', [parseId('wh', gone.id)]);
  await insert(parseId('wh', gone.id), 2, '1 hour');
  await service.sql("SELECT graphile_worker.add_job('purge-delivery-log')");
  await expect.poll(() => kept(gone), PATIENTLY).toBe(0);
  await expect.poll(() => kept(webhook), PATIENTLY).toBe(1_000);

  const { id } = await createWebhook(acme.api, receiver.url('/young'));
  await insert(parseId('wh', id), 4, '29 days');
  await insert(parseId('wh', id), 4, '31 days');
  await service.sql("SELECT graphile_worker.add_job('purge-delivery-log')");
  await expect.poll(() => kept({ id }), PATIENTLY).toBe(4);
});
