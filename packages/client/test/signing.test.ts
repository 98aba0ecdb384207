import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, receiverSettings, startReceiver } from '../../../server/test/support/receiver.ts';
import { startTestService, type TestBusiness, type TestService } from '../../../server/test/support/service.ts';
import { newSigningKey } from '../../../server/test/support/signing.ts';
import {
  type Fetch,
  newSigningKeyPair,
  type SendRequest,
  type SentMessage,
  type SigningKey,
  verifyWebhook,
  Waybill,
  WaybillError,
} from '../src/index.ts';

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

/** Counts the requests by method and path, with ids left out. */
function counting(requests: string[]): Fetch {
  return (url, init) => {
    requests.push(`${init.method} ${new URL(url).pathname.replace(/msg_\w+/, '{id}')}`);
    return fetch(url, init);
  };
}
const signatureOf = (id: string) => clientOf(acme, keys.acme).request('GET /v1/messages/{id}/signature', { path: { id } });

test('a signature covers the service, the recipient, the content and the files', async () => {
  const waybill = clientOf(acme, keys.acme);
  const { id } = await waybill.send({ to: '@Globex/orders', json: 1 });
  const { covers, components, signature_input } = await signatureOf(id);
  expect(covers).toEqual(['service', 'recipient', 'content']);
  expect(components).toMatchObject({ '@authority': new URL(service.url).host, 'waybill-recipient': 'globex' });
  expect(signature_input).toMatch(/;nonce="[\w-]{16,64}"$/);
  const files = [new Blob(['a drawing']), await waybill.upload(new Blob(['a scan']))];
  expect((await signatureOf((await waybill.send({ to: 'globex', files })).id)).covers).toEqual([
    'service',
    'recipient',
    'files',
    'content',
  ]);
  // Of an upload that is given by its id, the client does not know the hash.
  const byId = [(await waybill.upload(new Blob(['a scan']))).id, ...files];
  expect((await signatureOf((await waybill.send({ to: 'globex', files: byId })).id)).covers).toEqual(['service', 'recipient', 'content']);
});

test('a signed reply names the other party, which is read once', async () => {
  const requests: string[] = [];
  const [sender, recipient] = [clientOf(acme, keys.acme, counting(requests)), clientOf(globex, keys.globex, counting(requests))];
  const message = await sender.send({ to: 'globex', note: 'an order' });
  const recipientOf = async (sent: Promise<{ id: string }>) => (await signatureOf((await sent).id)).components['waybill-recipient'];
  expect(await recipientOf(recipient.reply(message.id, { note: 'one' }))).toBe('acme');
  expect(requests).toEqual(['POST /v1/messages', 'GET /v1/messages/{id}', 'GET /v1/me', 'POST /v1/messages']);
  expect(await recipientOf(recipient.reply(message.id, { note: 'two' }))).toBe('acme');
  // One's own message goes to its recipient once more. A message that is at hand is not read.
  expect(await recipientOf(sender.reply(message, { note: 'three' }))).toBe('globex');
  expect(await recipientOf(sender.reply(message.id, { note: 'four', to: 'Globex/sales' }))).toBe('globex');
  expect(requests.slice(4)).toEqual(['POST /v1/messages', 'GET /v1/me', 'POST /v1/messages', 'POST /v1/messages']);
  const toMyself = await sender.send({ to: 'acme' });
  expect(await recipientOf(sender.reply(toMyself.id, { note: 'five' }))).toBe('acme');
  const unsigned: string[] = [];
  const plain = new Waybill({ baseUrl: service.url, key: globex.secret, fetch: counting(unsigned) });
  await plain.reply(message.id, { note: 'six' });
  await plain.acknowledge(message.id, { status: 'accepted' });
  expect(unsigned).toEqual(['POST /v1/messages', 'POST /v1/messages/{id}/acknowledge']);
});

test('a service that shows other content than it has logged gets no acknowledgement', async () => {
  const sent = (request: SendRequest) => clientOf(acme, keys.acme).send(request);
  const message = await sent({ to: 'globex', note: 'Three.', json: { total: 12 } });
  const repeated = await sent({ to: 'globex', jsonText: '{"a":2}' });
  const other = await sent({ to: 'globex', note: 'Another one.' });
  const lies: [SentMessage, string | RegExp, string][] = [
    [message, 'Three.', 'Four.'],
    [message, '{"total":12}', '{"total":13}'],
    [message, message.content_hash, `sha256:${'0'.repeat(64)}`],
    // Programs that take the first of repeated keys read another value.
    [repeated, '{"a":2}', '{"a":1000000,"a":2}'],
    [repeated, '"json":{"a":2},', ''],
    [message, /.*/s, other.envelopeText],
  ];
  for (const [{ id }, written, shown] of lies) {
    const requests: string[] = [];
    const lying: Fetch = async (url, init) => {
      requests.push(`${init.method}`);
      const response = await fetch(url, init);
      return new Response((await response.text()).replace(written, shown), response);
    };
    const refused = clientOf(globex, keys.globex, lying).acknowledge(id, { status: 'accepted' });
    await expect(refused).rejects.toMatchObject({ code: 'hash_mismatch' });
    expect(requests).toEqual(['GET']);
  }
});

test('a summary is read before it is acknowledged, and must be of the same content', async () => {
  await clientOf(acme, keys.acme).send({ to: 'globex', type: 'summarised', json: { total: 12 } });
  const requests: string[] = [];
  const recipient = clientOf(globex, keys.globex, counting(requests));
  const [summary] = await recipient.inbox({ type: 'summarised', include: 'summary' }).take(1);
  if (!summary) throw new Error('the message is not there');
  const refused = recipient.acknowledge({ ...summary, content_hash: `sha256:${'0'.repeat(64)}` }, { status: 'accepted' });
  await expect(refused).rejects.toMatchObject({ code: 'hash_mismatch' });
  expect(await recipient.acknowledge(summary, { status: 'accepted' })).toMatchObject({ signing_key_id: keys.globex.id });
  expect(requests.slice(1)).toEqual([
    'GET /v1/messages/{id}',
    'GET /v1/messages/{id}',
    'GET /v1/messages/{id}/acknowledgements',
    'POST /v1/messages/{id}/acknowledge',
  ]);
});

test('an acknowledgement is signed again if its number was taken meanwhile, but not for ever', async () => {
  const message = await clientOf(acme, keys.acme).send({ to: 'globex' });
  for (const [grows, tries] of [
    [true, 3],
    [false, 1],
  ] as const) {
    const bodies: { number?: number; content_hash?: string }[] = [];
    let next = 5;
    /** A service on which something else always happens to the message first. */
    const busy: Fetch = async (url, init) => {
      if (init.method === 'POST') bodies.push(JSON.parse(String(init.body)));
      if (init.method === 'POST') return Response.json({ error: { code: 'conflict', message: 'x', request_id: 'req_1' } }, { status: 409 });
      if (url.endsWith('/acknowledgements')) return Response.json({ data: [], handed_over: null, next_number: grows ? next++ : next });
      return fetch(url, init);
    };
    const refused = clientOf(globex, keys.globex, busy).acknowledge(message.id, { status: 'accepted' });
    await expect(refused).rejects.toMatchObject({ code: 'conflict' });
    expect(bodies.map(({ number }) => number)).toEqual([5, 6, 7].slice(0, tries));
    for (const body of bodies) expect(body).toMatchObject({ status: 'accepted', content_hash: message.content_hash });
  }
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
