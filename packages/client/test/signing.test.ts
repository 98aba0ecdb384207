import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, receiverSettings, startReceiver } from '../../../server/test/support/receiver.ts';
import { startTestService, type TestBusiness, type TestService } from '../../../server/test/support/service.ts';
import { newSigningKey } from '../../../server/test/support/signing.ts';
import { type Fetch, newSigningKeyPair, type SigningKey, verifyWebhook, Waybill, WaybillError } from '../src/index.ts';

let service: TestService;
let receiver: Receiver;
let [acme, globex] = [] as unknown as [TestBusiness, TestBusiness];
let keys: { acme: SigningKey; globex: SigningKey };

beforeAll(async () => {
  service = await startTestService(receiverSettings);
  receiver = await startReceiver();
  acme = await service.business('acme');
  globex = await service.business('globex');
  keys = { acme: await newSigningKey(service, acme), globex: await newSigningKey(service, globex) };
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const clientOf = ({ secret }: TestBusiness, signingKey: SigningKey, fetch?: Fetch) =>
  new Waybill({ baseUrl: service.url, key: secret, signingKey, fetch });

test('a client with a signing key signs what it sends, and the recipient sees by which key', async () => {
  const waybill = clientOf(acme, keys.acme);
  const { id } = await waybill.send({ to: 'globex', jsonText: '{ "total": 1.0 }', note: 'grüße' });
  const signature = await clientOf(globex, keys.globex).request('GET /v1/messages/{id}/signature', { path: { id } });
  expect(signature.key.id).toBe(keys.acme.id);
  expect(JSON.parse(signature.body)).toEqual({ to: 'globex', note: 'grüße', json: { total: 1 } });
  expect(Object.keys(signature.components)).toContain('idempotency-key');
  const reply = await clientOf(globex, keys.globex).reply(id, { note: 'hello' });
  expect((await waybill.request('GET /v1/messages/{id}/signature', { path: { id: reply.id } })).key.id).toBe(keys.globex.id);
});

test('each try of a send has a signature of its own', async () => {
  const inputs: string[] = [];
  const failing: Fetch = async (url, init) => {
    inputs.push(new Headers(init.headers).get('signature-input') ?? '');
    if (inputs.length === 1) {
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      throw new TypeError('the network is down');
    }
    return fetch(url, init);
  };
  await clientOf(acme, keys.acme, failing).send({ to: 'globex', note: 'twice' });
  expect(inputs).toHaveLength(2);
  expect(inputs[1]).not.toBe(inputs[0]);
});

test('a wrong key sends nothing', async () => {
  const wrong = { id: keys.acme.id, privateKey: (await newSigningKeyPair()).privateKey };
  const refused = await clientOf(acme, wrong)
    .send({ to: 'globex', note: 'x' })
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(WaybillError);
  expect(refused).toMatchObject({ code: 'invalid_signature', status: 400 });
});

test('the recipient acknowledges, signed, and the sender’s webhook is told', async () => {
  const [sender, recipient] = [clientOf(acme, keys.acme), clientOf(globex, keys.globex)];
  const { secret } = await sender.request('POST /v1/webhooks', { body: { url: receiver.url('/said'), events: ['message.acknowledged'] } });
  const message = await sender.send({ to: 'globex', note: 'an order' });
  expect(await sender.acknowledgements(message)).toEqual([]);
  const said = await recipient.acknowledge(message, { status: 'accepted' });
  expect(await recipient.acknowledge(message.id, { status: 'accepted' })).toEqual(said);
  expect(said).toMatchObject({ status: 'accepted', reason: null, signing_key_id: keys.globex.id });
  expect(await sender.acknowledgements(message.id)).toEqual([said]);
  await expect.poll(() => receiver.at('/said').length).toBeGreaterThan(0);
  const told = receiver.at('/said').find(({ headers }) => headers['waybill-event'] === 'message.acknowledged');
  if (!told) throw new Error('the webhook was not told');
  const event = await verifyWebhook({ key: secret, headers: told.headers, body: told.body });
  expect([event.kind, event.acknowledged]).toEqual([
    'acknowledgement',
    { message_id: message.id, thread_id: message.thread_id, status: 'accepted', acknowledgements: [said] },
  ]);
});
