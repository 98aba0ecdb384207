import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import {
  WEBHOOK_RECOVERIES_PER_BUSINESS_AND_DAY_MAX,
  WEBHOOK_RECOVERIES_PER_DAY_MAX,
  WEBHOOK_RECOVERY_ATTEMPTS_PER_BUSINESS_AND_DAY_MAX,
  WEBHOOK_RECOVERY_ATTEMPTS_PER_DAY_MAX,
} from '../../src/contract/limits.ts';
import { type Receiver, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { createWebhook } from '../support/webhook-log.ts';

const PATIENTLY = { timeout: 60_000, interval: 25 };

let service: TestService;
let receiver: Receiver;
let sender: TestBusiness;
let acme: TestBusiness;
let businesses = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  receiver.respond = withStatus(204);
  service = await startTestService({ ...receiverSettings });
  sender = await service.business('sender');
});
beforeEach(async () => {
  acme = await service.business(`acme-${++businesses}`);
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

interface Recovery {
  id: string;
  webhook_id: string;
}

const register = (name: string) => createWebhook(acme.api, receiver.url(`/${acme.handle}/${name}`));
const arrived = (name: string) => receiver.at(`/${acme.handle}/${name}`).map(({ headers }) => String(headers['webhook-id']));
const longAgo = () => new Date(Date.now() - 3_600_000).toISOString();
const recover = ({ id }: { id: string }, body: unknown) => acme.api.write('POST', `/webhooks/${id}/recover`, body);
const shown = async ({ webhook_id, id }: Recovery) => (await acme.api.get(`/webhooks/${webhook_id}/recoveries/${id}`)).body;

async function sendMany(count: number): Promise<string[]> {
  const sent = await Promise.all(Array.from({ length: count }, () => sender.api.send({ to: acme.handle })));
  return sent.map(({ body }) => body.id);
}

async function started(webhook: { id: string }, body: Record<string, unknown> = {}): Promise<Recovery> {
  const response = await recover(webhook, { since: longAgo(), ...body });
  expect(response.status, response.text).toBe(202);
  return response.body;
}

async function completed(recovery: Recovery) {
  await expect.poll(async () => (await shown(recovery)).state, PATIENTLY).toBe('completed');
  return shown(recovery);
}

describe('recoveries have limits per day', () => {
  const NOBODY = '00000000-0000-0000-0000-000000000000';
  const use = (id: string, fields: { recoveries?: number; queued?: number }) =>
    service.sql(
      `UPDATE webhook_recovery_usage SET recoveries = coalesce($3, recoveries), queued = coalesce($4, queued)
        WHERE party_id = (SELECT id FROM parties WHERE handle = $1) AND webhook_id = $2`,
      [acme.handle, id, fields.recoveries ?? null, fields.queued ?? null],
    );
  const tomorrow = () => service.sql('UPDATE webhook_recovery_usage SET day = day - 1');
  const refusedFor = async (webhook: { id: string }) => {
    const response = await recover(webhook, { since: longAgo(), only: 'all' });
    expectRefusal(response, 'quota_exceeded');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    return response.body.error.details[0].limit;
  };

  test('of a webhook, and of a business with those that are deleted', async () => {
    await sendMany(1);
    const webhook = await register('many');
    await completed(await started(webhook, { only: 'all' }));
    await use(parseId('wh', webhook.id) as string, { recoveries: WEBHOOK_RECOVERIES_PER_DAY_MAX - 1 });
    await completed(await started(webhook, { only: 'all' }));
    expect(await refusedFor(webhook)).toBe('daily_recoveries');
    await acme.api.write('PATCH', `/webhooks/${webhook.id}`, { active: false });
    expectRefusal(await acme.api.write('PATCH', `/webhooks/${webhook.id}`, { active: true, recover: true }), 'quota_exceeded');
    await acme.api.request('DELETE', `/v1/webhooks/${webhook.id}`);
    const other = await register('other');
    await completed(await started(other, { only: 'all' }));
    await use(NOBODY, { recoveries: WEBHOOK_RECOVERIES_PER_BUSINESS_AND_DAY_MAX });
    expect(await refusedFor(other)).toBe('daily_recoveries_per_business');
    await tomorrow();
    await completed(await started(other, { only: 'all' }));
  });

  test('of attempts: it goes on the next day', async () => {
    const ids = await sendMany(3);
    const [one, other] = [await register('one'), await register('other')];
    await completed(await started(one, { only: 'failed' }));
    await use(parseId('wh', one.id) as string, { queued: WEBHOOK_RECOVERY_ATTEMPTS_PER_DAY_MAX - 2 });
    const recovery = await started(one, { only: 'all' });
    await expect.poll(async () => (await shown(recovery)).queued, PATIENTLY).toBe(2);
    // The limit does not affect another webhook.
    await completed(await started(other, { only: 'all' }));
    expect(await shown(recovery)).toMatchObject({ state: 'running', queued: 2, done: 2 });
    await use(NOBODY, { queued: WEBHOOK_RECOVERY_ATTEMPTS_PER_BUSINESS_AND_DAY_MAX });
    expect(await refusedFor(other)).toBe('daily_recovered_attempts_per_business');
    await tomorrow();
    expect(await completed(recovery)).toMatchObject({ queued: 3 });
    await expect.poll(() => new Set(arrived('one')), PATIENTLY).toEqual(new Set(ids));
  });

  test('for those that begin at once', async () => {
    const webhooks = await Promise.all(Array.from({ length: 5 }, (_, i) => register(`at-once-${i}`)));
    await completed(await started(webhooks[0] as { id: string }, { only: 'all' }));
    await use(NOBODY, { recoveries: WEBHOOK_RECOVERIES_PER_BUSINESS_AND_DAY_MAX - 2 });
    const responses = await Promise.all(webhooks.map((webhook) => recover(webhook, { since: longAgo(), only: 'all' })));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([202, 202, 429, 429, 429]);
  });
});
