import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatId, newUuid, parseId } from '../../src/contract/ids.ts';
import { type Receiver, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { verifyOwn, verifyStandard } from '../support/verify-webhook.ts';
import { attemptsOf, createWebhook, dueIn, logOf } from '../support/webhook-log.ts';

let service: TestService;
let receiver: Receiver;
let sender: TestBusiness;
let acme: TestBusiness;
let businesses = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService(receiverSettings);
  sender = await service.business('sender');
});
beforeEach(async () => {
  receiver.respond = withStatus(204);
  acme = await service.business(`acme-${++businesses}`);
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const at = (name: string) => receiver.at(`/${acme.handle}/${name}`);
const register = (name: string) => createWebhook(acme.api, receiver.url(`/${acme.handle}/${name}`));
const redeliver = (messageId: string, webhook_id: unknown, api = acme.api) =>
  api.write('POST', `/messages/${messageId}/redeliver`, { webhook_id });

async function send(): Promise<string> {
  const { status, text, body } = await sender.api.send({ to: acme.handle, json: { n: 1.0 }, type: 'order' });
  expect(status, text).toBe(201);
  return body.id;
}

describe('POST /messages/{id}/redeliver', () => {
  test('delivers the message once more, says so in a header and in the log, and keeps webhook-id', async () => {
    const webhook = await register('again');
    const id = await send();
    await attemptsOf(acme.api, webhook.id, 1);
    const { status, body } = await redeliver(id, webhook.id);
    expect([status, body]).toEqual([202, { queued: true, job_id: expect.stringMatching(/^job_/) }]);
    const [first, second] = await attemptsOf(acme.api, webhook.id, 2);
    expect(first).toMatchObject({ message_id: id, event: 'message.received', replay: false });
    expect(second).toMatchObject({
      id: body.job_id.replace('job_', 'dlv_'),
      message_id: id,
      event: 'message.received',
      replay: true,
      attempt: 1,
    });
    const [original, replayed] = at('again');
    if (!original || !replayed) throw new Error('not delivered');
    expect(original.headers).not.toHaveProperty('waybill-replay');
    expect(replayed.headers).toMatchObject({
      'waybill-replay': 'true',
      'waybill-event': 'message.received',
      'webhook-id': id,
      'waybill-delivery-id': second?.id,
    });
    expect(replayed.body.equals(original.body)).toBe(true);
    expect([verifyOwn(replayed, webhook.secret), verifyStandard(replayed, webhook.secret)]).toEqual([true, true]);
  });

  test('covers what came before the webhook existed, while it was paused, and what it does not select', async () => {
    const before = await send();
    const webhook = await register('late');
    await acme.api.patch(`/webhooks/${webhook.id}`, { active: false, types: ['invoice'] });
    const meanwhile = await send();
    expectRefusal(await redeliver(before, webhook.id), 'conflict');
    await acme.api.patch(`/webhooks/${webhook.id}`, { active: true });
    for (const id of [before, meanwhile]) expect((await redeliver(id, webhook.id)).status).toBe(202);
    await attemptsOf(acme.api, webhook.id, 2);
    expect(at('late').map(({ headers }) => headers['webhook-id'])).toEqual([before, meanwhile]);
  });

  test('is retried like any other, as a replay', async () => {
    const webhook = await register('retried');
    await acme.api.patch(`/webhooks/${webhook.id}`, { types: ['none'] });
    receiver.respond = withStatus(500);
    await redeliver(await send(), webhook.id);
    await attemptsOf(acme.api, webhook.id, 1);
    receiver.respond = withStatus(204);
    await dueIn(service, webhook, 0);
    expect(await attemptsOf(acme.api, webhook.id, 2)).toMatchObject([
      { status: 'retrying', replay: true, attempt: 1 },
      { status: 'delivered', replay: true, attempt: 2 },
    ]);
    expect(at('retried').map(({ headers }) => headers['waybill-replay'])).toEqual(['true', 'true']);
  });

  test('knows only messages in the inbox of the business, and its own webhooks', async () => {
    const webhook = await register('own');
    const received = await send();
    await attemptsOf(acme.api, webhook.id, 1);
    const sent = (await acme.api.send({ to: 'sender' })).body.id;
    const others = (await sender.api.send({ to: (await service.business(`other-${businesses}`)).handle })).body.id;
    const unknown = withoutTraces(await redeliver(formatId('msg', newUuid()), webhook.id));
    expect(unknown.status).toBe(404);
    for (const id of [sent, others, 'x', webhook.id]) expect(withoutTraces(await redeliver(id, webhook.id))).toEqual(unknown);
    const foreign = await createWebhook(sender.api, receiver.url('/foreign'));
    for (const id of [foreign.id, formatId('wh', newUuid()), 'x', '']) expectRefusal(await redeliver(received, id), 'not_found');
    for (const id of [null, 5, undefined, 'x'.repeat(65)]) expectInvalid(await redeliver(received, id), 'webhook_id');
    expectRefusal(await redeliver(received, webhook.id, await acme.withKey('read')), 'forbidden');
    expect(await logOf(acme.api, webhook.id)).toHaveLength(1);
    expect(receiver.at('/foreign')).toEqual([]);
  });

  test('is refused while 10,000 attempts of the webhook wait', async () => {
    const webhook = await register('full');
    await acme.api.patch(`/webhooks/${webhook.id}`, { types: ['none'] });
    const id = await send();
    await service.sql(
      `INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at)
       SELECT party_id, id, gen_random_uuid(), $2, 'message.received', 1, now() + interval '1 day', now()
         FROM webhooks, generate_series(1, 9999) WHERE id = $1`,
      [parseId('wh', webhook.id), parseId('msg', id)],
    );
    receiver.respond = () => {};
    expect((await redeliver(id, webhook.id)).status).toBe(202);
    const refused = await redeliver(id, webhook.id);
    expectRefusal(refused, 'conflict');
    expect(refused.body.error.message).toContain('10000');
  });
});
