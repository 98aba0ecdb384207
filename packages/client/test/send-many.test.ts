import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestBusiness, type TestService } from '../../../server/test/support/service.ts';
import { type ManyRequest, newSigningKeyPair, type SendOutcome, Waybill } from '../src/index.ts';
import { startUnsteadyNetwork } from './support/unsteady-network.ts';

let service: TestService;
let acme: TestBusiness;
let waybill: Waybill;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  await service.business('globex');
  waybill = new Waybill({ baseUrl: service.url, key: acme.secret });
});
afterAll(() => service.stop());

async function* orders(count: number): AsyncGenerator<ManyRequest & { subject: string }> {
  for (let i = 0; i < count; i++) yield { to: 'globex', subject: `${i}`, json: { i } };
}

async function collect(outcomes: AsyncIterable<SendOutcome>): Promise<SendOutcome[]> {
  const all: SendOutcome[] = [];
  for await (const outcome of outcomes) all.push(outcome);
  return all;
}

test('messages of an iterator are sent in their order, a hundred with each request', async () => {
  const requests: string[] = [];
  const counting = new Waybill({
    baseUrl: service.url,
    key: acme.secret,
    fetch: (url, init) => {
      requests.push(new URL(url).pathname);
      return fetch(url, init);
    },
  });
  const outcomes = await collect(counting.sendMany(orders(250)));
  expect(requests).toEqual(Array(3).fill('/v1/messages/batch'));
  expect(outcomes.map(({ message, request }) => [message?.subject, request.subject])).toEqual(
    Array.from({ length: 250 }, (_, i) => [`${i}`, `${i}`]),
  );
  expect((await waybill.message(outcomes[249]?.message?.id ?? '')).json()).toEqual({ i: 249 });
});

test('a batch is cut where it would be too large', async () => {
  const large = Array.from({ length: 6 }, () => ({ to: 'globex', json: 'é'.repeat(500_000) }));
  expect((await collect(waybill.sendMany(large))).map(({ message }) => message?.json_bytes)).toEqual(Array(6).fill(1_000_002));
});

test('a message that is refused has an error, and stops no other', async () => {
  const [first, second, third] = await collect(
    waybill.sendMany([{ to: 'globex' }, { to: 'nobody-there' }, { to: 'globex', jsonText: '1.0' }]),
  );
  expect([first?.error, third?.error]).toEqual([undefined, undefined]);
  expect(second).toMatchObject({ message: undefined, error: { code: 'unknown_recipient', status: 404 } });
  expect((await waybill.message(third?.message?.id ?? '')).jsonText).toBe('1.0');
});

test('own keys make a repeat of the whole harmless, and files are uploaded first', async () => {
  const requests = [{ to: 'globex', idempotencyKey: randomUUID(), files: [new Blob(['hello'])] }];
  const [first] = await collect(waybill.sendMany(requests));
  const [again] = await collect(waybill.sendMany(requests));
  expect([first?.isReplayed, again?.isReplayed, again?.message?.id]).toEqual([false, true, first?.message?.id]);
  expect(first?.message?.files[0]?.size_bytes).toBe(5);
});

test('a response that is lost is asked for again, and nothing is sent twice', async () => {
  const network = await startUnsteadyNetwork(service.url);
  try {
    const sender = await service.business('unlucky');
    const unlucky = new Waybill({ baseUrl: network.url, key: sender.secret });
    // The whole request arrives, and a part of the response comes back.
    network.cutAfter = [{ service: 100 }, { service: 1_000 }];
    const outcomes = await collect(unlucky.sendMany(orders(30)));
    expect(network.cuts).toBe(2);
    expect(outcomes.every(({ message, isReplayed }) => message && isReplayed)).toBe(true);
    expect((await sender.api.get('/outbox?limit=200')).body.data).toHaveLength(30);
  } finally {
    await network.stop();
  }
});

test('a client that signs refuses to send without a signature', async () => {
  const { privateKey } = await newSigningKeyPair();
  const signing = new Waybill({ baseUrl: service.url, key: acme.secret, signingKey: { id: 'sgk_x', privateKey } });
  expect(() => signing.sendMany([])).toThrow('can’t sign');
});
