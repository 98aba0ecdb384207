import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Delivery, type Receiver, receiverSettings, startReceiver } from '../../../server/test/support/receiver.ts';
import { startTestService, type TestService } from '../../../server/test/support/service.ts';
import { signWebhook, verifyWebhook, Waybill, WebhookVerificationError } from '../src/index.ts';

let service: TestService;
let receiver: Receiver;
let [acme, globex] = [] as unknown as [Waybill, Waybill];

beforeAll(async () => {
  service = await startTestService(receiverSettings);
  receiver = await startReceiver();
  acme = new Waybill({ baseUrl: service.url, key: (await service.business('acme')).secret });
  globex = new Waybill({ baseUrl: service.url, key: (await service.business('globex')).secret });
});
afterAll(async () => {
  await receiver.stop();
  await service.stop();
});

const JSON_TEXT = '{ "total": 1.0, "id": 12345678901234567890 }';

async function delivery(path: string): Promise<Delivery> {
  const { id } = await acme.send({ to: 'globex', jsonText: JSON_TEXT });
  const ofMessage = () => receiver.at(path).find(({ headers }) => headers['webhook-id'] === id);
  await expect.poll(ofMessage, { timeout: 60_000 }).toBeDefined();
  return ofMessage() as Delivery;
}

describe('a delivery of the service', () => {
  test('is verified with the secret and with the public key, and its JSON is as it was sent', async () => {
    const body = { url: receiver.url('/both'), signatures: ['hmac' as const, 'ed25519' as const] };
    const { secret, public_key } = await globex.request('POST /v1/webhooks', { body });
    const { headers, body: bytes } = await delivery('/both');
    for (const key of [secret, public_key ?? '', ['whsec_AAAA', secret]]) {
      const told = await verifyWebhook({ key, headers, body: bytes });
      expect(told).toMatchObject({ id: headers['webhook-id'], event: 'message.received', isReplay: false, kind: 'message' });
      expect([told.message?.id, told.message?.jsonText]).toEqual([headers['webhook-id'], JSON_TEXT]);
    }
    const asInWorkers = { headers: new Headers(headers as Record<string, string>), body: new Uint8Array(bytes).buffer };
    expect((await verifyWebhook({ key: secret, ...asInWorkers })).message?.jsonText).toBe(JSON_TEXT);
    const other = await globex.request('POST /v1/webhooks', { body: { ...body, url: receiver.url('/other') } });
    for (const key of [other.secret, other.public_key ?? ''])
      await expect(verifyWebhook({ key, headers, body: bytes })).rejects.toMatchObject({ code: 'wrong_signature' });
  });

  test('is verified with either secret after a rotation', async () => {
    const { id, secret } = await globex.request('POST /v1/webhooks', { body: { url: receiver.url('/rotated') } });
    const rotated = await globex.request('POST /v1/webhooks/{id}/rotate-secret', { path: { id }, body: { grace_s: 600 } });
    const { headers, body } = await delivery('/rotated');
    for (const key of [secret, rotated.secret]) expect((await verifyWebhook({ key, headers, body })).id).toBe(headers['webhook-id']);
  });
});

test('other events than messages are told apart by their body', async () => {
  const events = ['message.sent', 'thread.updated', 'webhook.paused'] as const;
  const { secret } = await globex.request('POST /v1/webhooks', { body: { url: receiver.url('/events'), events: [...events] } });
  const { id, thread_id } = await globex.send({ to: 'acme', jsonText: JSON_TEXT });
  await globex.assign(thread_id, 'me');
  const paused = await globex.request('POST /v1/webhooks', { body: { url: receiver.url('/paused') } });
  await globex.request('PATCH /v1/webhooks/{id}', { path: { id: paused.id }, body: { active: false } });
  await expect.poll(() => receiver.at('/events').length, { timeout: 60_000 }).toBe(3);
  const told = await Promise.all(receiver.at('/events').map(({ headers, body }) => verifyWebhook({ key: secret, headers, body })));
  const of = (event: string) => told.find((one) => one.event === event);
  expect(of('message.sent')).toMatchObject({ kind: 'message', message: { id, jsonText: JSON_TEXT } });
  expect(of('thread.updated')).toMatchObject({ kind: 'thread', thread: { id: thread_id } });
  expect(of('webhook.paused')).toMatchObject({ kind: 'webhook', webhook: { id: paused.id, active: false } });
  for (const one of told) expect(one.id).toMatch(/^evt_/);
});

describe('what is signed by hand', () => {
  const secret = `whsec_${btoa('a secret of 32 bytes for a test..')}`;
  const body = '{"id":"msg_1","json":{"a":1.0},"json_sha256":"sha256:0"}';
  const signed = (timestampS?: number) => signWebhook(secret, { id: 'msg_1', body, ...(timestampS !== undefined && { timestampS }) });

  test('is signed as the service does it', async () => {
    const created = await globex.request('POST /v1/webhooks', { body: { url: receiver.url('/compared') } });
    const { headers, body: bytes } = await delivery('/compared');
    const [id, timestampS] = [String(headers['webhook-id']), Number(headers['webhook-timestamp'])];
    expect(headers).toMatchObject(await signWebhook(created.secret, { id, body: bytes, timestampS }));
  });

  test('is accepted', async () => {
    const { message } = await verifyWebhook({ key: secret, headers: await signed(), body });
    expect([message?.id, message?.jsonText]).toEqual(['msg_1', '{"a":1.0}']);
  });

  test.each([
    ['another body', async () => ({ headers: await signed(), body: body.replace('1.0', '2.0') }), 'wrong_signature'],
    ['another id', async () => ({ headers: { ...(await signed()), 'webhook-id': 'msg_2' }, body }), 'wrong_signature'],
    ['an old time', async () => ({ headers: await signed(Math.floor(Date.now() / 1_000) - 400), body }), 'too_old_or_new'],
    ['a time to come', async () => ({ headers: await signed(Math.floor(Date.now() / 1_000) + 400), body }), 'too_old_or_new'],
    ['no time', async () => ({ headers: { ...(await signed()), 'webhook-timestamp': 'now' }, body }), 'too_old_or_new'],
    ['no headers', async () => ({ headers: {}, body }), 'missing_headers'],
    [
      'a signature that is none',
      async () => ({ headers: { ...(await signed()), 'webhook-signature': 'v1,?? v1 x' }, body }),
      'wrong_signature',
    ],
  ])('is refused with %s', async (_name, make, code) => {
    const outcome = verifyWebhook({ key: secret, ...(await make()) });
    await expect(outcome).rejects.toBeInstanceOf(WebhookVerificationError);
    await expect(outcome).rejects.toMatchObject({ code });
  });

  test('an old one is accepted with more tolerance', async () => {
    const headers = await signed(Math.floor(Date.now() / 1_000) - 400);
    expect((await verifyWebhook({ key: secret, headers, body, toleranceS: 600 })).id).toBe('msg_1');
  });

  test('a key that is none is a mistake of the program', async () => {
    await expect(verifyWebhook({ key: 'secret', headers: await signed(), body })).rejects.toThrow(TypeError);
  });
});
