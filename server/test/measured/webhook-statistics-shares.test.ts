import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { type Receiver, receiverSettings, startReceiver } from '../support/receiver.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { createWebhook } from '../support/webhook-log.ts';

const SLOW_ONES = 12;
/** The time that counting takes, as if the log had hundreds of thousands of attempts. */
const SLOW_LOG_S = 2;

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService(receiverSettings);
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

async function withWebhook(handle: string): Promise<{ business: TestBusiness; id: string }> {
  const business = await service.business(handle);
  return { business, id: (await createWebhook(business.api, receiver.url())).id };
}

const statistics = ({ business, id }: { business: TestBusiness; id: string }) => business.api.get(`/webhooks/${id}/statistics?period=24h`);

test('businesses with long logs wait for each other, and nobody waits for them', async () => {
  const slow = await Promise.all(Array.from({ length: SLOW_ONES }, (_, i) => withWebhook(`slow-${i}`)));
  const quick = await withWebhook('quick');
  await service.sql(
    `INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at, status, status_code, response_ms, attempted_at)
     SELECT w.party_id, w.id, new_uuid(now()), gen_random_uuid(), 'message.received', 1, now(), now(), 'delivered', 200, 10, now()
       FROM webhooks w WHERE w.id = ANY ($1::uuid[])`,
    [slow.map(({ id }) => parseId('wh', id))],
  );
  await service.sql('ALTER TABLE webhook_attempts RENAME TO all_webhook_attempts');
  await service.sql(
    `CREATE VIEW webhook_attempts AS SELECT * FROM all_webhook_attempts a
      WHERE CASE WHEN EXISTS (SELECT FROM parties p WHERE p.id = a.party_id AND p.handle LIKE 'slow-%')
            THEN pg_sleep(${SLOW_LOG_S}) IS NOT NULL ELSE true END`,
  );
  let responded = 0;
  const asked = slow.map(async (one) => {
    const response = await statistics(one);
    responded++;
    return response;
  });
  expect((await statistics(quick)).status).toBe(200);
  const before = responded;
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(before).toBeLessThan(SLOW_ONES / 2);
  expect(statuses).toEqual(Array(SLOW_ONES).fill(200));
  // The business is known as quick by now, so its next request does not wait for the slow ones.
  expect((await statistics(quick)).status).toBe(200);
});
