import { afterAll, beforeAll, expect, test } from 'vitest';
import { MemberApi } from '../support/member.ts';
import { Operator } from '../support/operator.ts';
import { signInWithCode } from '../support/people.ts';
import { expectFound, search, untilSearchable } from '../support/search.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let shop: TestBusiness;
beforeAll(async () => {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' });
  shop = await service.business('shop');
});
afterAll(() => service.stop());

test('a business finds the threads that have joined it, and nothing that stayed with others', async () => {
  const ann = await signInWithCode(service, 'ann@tailor-works.test');
  const ben = await signInWithCode(service, 'ben@tailor-works.test');
  const first = (await ann.post('/v1/drops', { to: 'shop', note: 'velvet for ann' })).body;
  const reply = (await shop.api.send({ in_reply_to: first.id, note: 'velvet on its way' })).body;
  const bens = (await ben.post('/v1/drops', { to: 'shop', note: 'velvet for ben', in_reply_to: reply.id })).body;
  const foreign = (await ben.post('/v1/drops', { to: 'shop', note: 'velvet of ben alone' })).body;
  await shop.api.write('POST', `/threads/${first.thread_id}/comments`, { text: 'velvet is sold out' });
  await untilSearchable(service);
  expect(await search(shop.api, 'velvet')).toHaveLength(5);

  await ann.post('/v1/businesses', { handle: 'tailor', display_name: 'Tailor' });
  const tailor = new MemberApi(ann, 'tailor');
  await expect.poll(async () => (await tailor.get('/outbox')).body.data.length).toBe(1);
  await untilSearchable(service);
  await expectFound(tailor, 'velvet', [reply.id, first.id]);
  await expectFound(tailor, 'from:ann@tailor-works.test', [first.id]);
  for (const q of ['ben', 'sold', bens.id, foreign.id, foreign.thread_id, '"velvet of"']) await expectFound(tailor, q, []);
  await expectFound(shop.api, '"sold out"', [bens.id]);
});

test('what an organisation wrote to the business that it becomes part of is in both boxes, and found once', async () => {
  const miller = await service.business('miller');
  const eve = await signInWithCode(service, 'eve@miller-works.test');
  const sent = (await eve.post('/v1/drops', { to: 'miller', note: 'flour please' })).body;
  await untilSearchable(service);
  await expectFound(miller.api, 'flour', [sent.id]);
  const operator = new Operator(service);
  await operator.verifyDomain('miller', 'miller-works.test');
  await operator.close();
  await expect.poll(async () => (await miller.api.get('/outbox')).body.data.length).toBe(1);
  expect((await miller.api.get('/inbox')).body.data.map(({ id }: { id: string }) => id)).toEqual([sent.id]);
  await untilSearchable(service);
  await expectFound(miller.api, 'flour', [sent.id]);
  await expectFound(shop.api, 'flour', []);
});
