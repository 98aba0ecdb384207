import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isGenuine } from '../../../examples/verify-ed25519/verify.ts';
import { parseId } from '../../src/contract/ids.ts';
import { type Delivery, type Receiver, receiverSettings, startReceiver } from '../support/receiver.ts';
import { expectInvalid } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { verifyOwn, verifyStandard } from '../support/verify-webhook.ts';
import { attemptsOf } from '../support/webhook-log.ts';

const BOTH = ['hmac', 'ed25519'];
const PUBLIC_KEY = /^whpk_[A-Za-z0-9+/]{43}=$/;

let service: TestService;
let receiver: Receiver;
let sender: TestBusiness;
let acme: TestBusiness;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ ...receiverSettings, SECRETS_KEY: Buffer.alloc(32, 7).toString('base64') });
  sender = await service.business('sender');
  acme = await service.business('acme');
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

async function created(name: string, fields = {}) {
  const { status, text, body } = await acme.api.write('POST', '/webhooks', { url: receiver.url(`/${name}`), target: name, ...fields });
  expect(status, text).toBe(201);
  return body;
}

async function changed({ id }: { id: string }, signatures: string[]) {
  const { status, text, body } = await acme.api.patch(`/webhooks/${id}`, { signatures });
  expect(status, text).toBe(200);
  return body;
}

async function rotated({ id }: { id: string }, grace_s: number) {
  const { status, text, body } = await acme.api.write('POST', `/webhooks/${id}/rotate-secret`, { grace_s });
  expect(status, text).toBe(200);
  return body;
}

async function delivered({ id }: { id: string }, name: string): Promise<Delivery> {
  const before = receiver.at(`/${name}`).length;
  expect((await sender.api.send({ to: `acme/${name}`, json: { name: '\u00c4' } })).status).toBe(201);
  await attemptsOf(acme.api, id, before + 1);
  const delivery = receiver.at(`/${name}`)[before];
  if (!delivery) throw new Error('nothing was delivered');
  return delivery;
}

const kinds = ({ headers }: Delivery) => String(headers['webhook-signature']).replace(/,\S+/g, '');
const proves = ({ headers, body }: Delivery, publicKey: string) => isGenuine(publicKey, headers, body);

describe('a webhook with Ed25519 signatures', () => {
  test('has a public key, and each delivery a signature that it verifies, beside those with the secret', async () => {
    const webhook = await created('new', { signatures: BOTH });
    expect(webhook).toMatchObject({ signatures: BOTH, public_key: expect.stringMatching(PUBLIC_KEY) });
    expect((await acme.api.get(`/webhooks/${webhook.id}`)).body).toMatchObject({ signatures: BOTH, public_key: webhook.public_key });
    const delivery = await delivered(webhook, 'new');
    expect(kinds(delivery)).toBe('v1 v1a');
    expect([proves(delivery, webhook.public_key), verifyOwn(delivery, webhook.secret), verifyStandard(delivery, webhook.secret)]).toEqual([
      true,
      true,
      true,
    ]);
    const { headers, body } = delivery;
    const refused: [Delivery['headers'], Buffer][] = [
      [headers, Buffer.concat([body, Buffer.from(' ')])],
      [{ ...headers, 'webhook-id': 'msg_other' }, body],
      [{ ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }, body],
      [{ ...headers, 'webhook-timestamp': '1' }, body],
      [{ ...headers, 'webhook-signature': String(headers['webhook-signature']).replace('v1a,', 'v1b,') }, body],
      [{}, body],
    ];
    for (const [i, [changedHeaders, bytes]] of refused.entries())
      expect(isGenuine(webhook.public_key, changedHeaders, bytes), String(i)).toBe(false);
    expect(proves(delivery, (await created('stranger', { signatures: BOTH })).public_key)).toBe(false);
  });

  test('gets them with PATCH, keeps its secret, and loses them again', async () => {
    const webhook = await created('later');
    expect(webhook).toMatchObject({ signatures: ['hmac'], public_key: null });
    expect(kinds(await delivered(webhook, 'later'))).toBe('v1');
    const { public_key } = await changed(webhook, BOTH);
    // A repeated request keeps the key.
    expect((await changed(webhook, BOTH)).public_key).toBe(public_key);
    expect((await acme.api.patch(`/webhooks/${webhook.id}`, { description: 'x' })).body.public_key).toBe(public_key);
    const delivery = await delivered(webhook, 'later');
    expect([proves(delivery, public_key), verifyOwn(delivery, webhook.secret)]).toEqual([true, true]);
    expect(await changed(webhook, ['hmac'])).toMatchObject({ signatures: ['hmac'], public_key: null });
    const last = await delivered(webhook, 'later');
    expect([kinds(last), verifyOwn(last, webhook.secret)]).toEqual(['v1', true]);
  });

  test('has a new key pair after a rotation; until the grace is over, both sign', async () => {
    const webhook = await created('rotated', { signatures: BOTH });
    const next = await rotated(webhook, 3_600);
    expect(next.public_key).toMatch(PUBLIC_KEY);
    expect(next.public_key).not.toBe(webhook.public_key);
    const delivery = await delivered(webhook, 'rotated');
    expect(kinds(delivery)).toBe('v1 v1a v1 v1a');
    expect([webhook, next].map((one) => [proves(delivery, one.public_key), verifyStandard(delivery, one.secret)])).toEqual([
      [true, true],
      [true, true],
    ]);
    const last = await rotated(webhook, 0);
    const after = await delivered(webhook, 'rotated');
    expect([webhook, next, last].map((one) => proves(after, one.public_key))).toEqual([false, false, true]);
    expect((await rotated(await created('plain'), 0)).public_key).toBeNull();
  });

  test('loses the former key with the present one', async () => {
    const webhook = await created('both-gone', { signatures: BOTH });
    const next = await rotated(webhook, 3_600);
    await changed(webhook, ['hmac']);
    const delivery = await delivered(webhook, 'both-gone');
    expect(kinds(delivery)).toBe('v1 v1');
    expect([webhook, next].map(({ secret }) => verifyOwn(delivery, secret))).toEqual([true, true]);
  });

  test('never shows its private key, which is encrypted in the database', async () => {
    const webhook = await created('hidden', { signatures: BOTH });
    await rotated(webhook, 3_600);
    const stored = JSON.stringify(await service.sql('SELECT * FROM webhooks WHERE id = $1', [parseId('wh', webhook.id)]));
    expect(stored).toContain('whpk_');
    expect(stored).not.toMatch(/whsk_|whsec_/);
    for (const path of [`/webhooks/${webhook.id}`, '/webhooks', `/webhooks/${webhook.id}/messages`])
      expect((await acme.api.get(path)).text).not.toContain('whsk_');
    expect(JSON.stringify(webhook)).not.toContain('whsk_');
  });

  test('two changes at once leave one key pair that signs', async () => {
    const webhook = await created('raced');
    const [, rotation] = await Promise.all([changed(webhook, BOTH), rotated(webhook, 0), changed(webhook, BOTH)]);
    const now = (await acme.api.get(`/webhooks/${webhook.id}`)).body;
    const delivery = await delivered(webhook, 'raced');
    expect([proves(delivery, now.public_key), verifyOwn(delivery, rotation.secret)]).toEqual([true, true]);
  });

  test.each([[[]], [['ed25519']], [['hmac', 'rsa']], [['hmac', 'ed25519', 'hmac']], ['hmac'], [null]])(
    "signatures can't be %j",
    async (signatures) => {
      const response = await acme.api.write('POST', '/webhooks', { url: receiver.url('/refused'), signatures });
      expectInvalid(response, response.body.error.details[0].path.slice(1));
      expect(response.body.error.details[0].path).toMatch(/^\/signatures/);
    },
  );
});
