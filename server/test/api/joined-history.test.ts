import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from '../support/browser.ts';
import { MemberApi } from '../support/member.ts';
import { Operator } from '../support/operator.ts';
import { signInWithCode } from '../support/people.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let shop: TestBusiness;
beforeAll(async () => {
  service = await startTestService();
  shop = await service.business('shop');
});
afterAll(() => service.stop());

const drop = async (person: Browser, body: object) => {
  const response = await person.post('/v1/drops', { to: 'shop', ...body });
  expect(response.status, response.text).toBe(201);
  return response.body;
};
const replyTo = async (message: { id: string }, note: string) => {
  const response = await shop.api.send({ in_reply_to: message.id, note });
  expect(response.status, response.text).toBe(201);
  return response.body;
};
const claim = async (person: Browser, handle: string) => {
  const response = await person.post('/v1/businesses', { handle, display_name: handle });
  expect(response.status, response.text).toBe(201);
  return new MemberApi(person, handle);
};

test('what a person began for an organisation joins the business they claim, without what colleagues wrote', async () => {
  const ann = await signInWithCode(service, 'ann@tailor-works.test');
  const ben = await signInWithCode(service, 'ben@tailor-works.test');
  const first = await drop(ann, { note: 'ann asks', type: 'order' });
  const reply = await replyTo(first, 'to ann');
  const bens = await drop(ben, { note: 'ben joins in', in_reply_to: reply.id });
  await replyTo(bens, 'to ben');
  const foreign = await drop(ben, { note: 'of ben alone' });

  const tailor = await claim(ann, 'tailor');
  await expect.poll(async () => (await tailor.get('/outbox')).body.data.length).toBe(1);
  const thread = await tailor.get(`/threads/${first.thread_id}`);
  expect(thread.body.data.map(({ note }: { note: string }) => note)).toEqual(['ann asks', 'to ann']);
  expect(thread.body.hidden).toBe(2);
  expect((await tailor.get(`/messages/${bens.id}`)).status).toBe(404);
  expect((await tailor.get(`/threads/${foreign.thread_id}`)).status).toBe(404);
  expect((await tailor.get(`/messages/${first.id}`)).body).toMatchObject({
    from: { party: { kind: 'domain', domain: 'tailor-works.test' }, actor: { kind: 'person', email: 'ann@tailor-works.test' } },
    content_hash: first.content_hash,
  });
  const contact = (await tailor.get('/contacts')).body.data[0];
  expect(contact).toMatchObject({ party: { handle: 'shop' }, activity: { messages_in: 1, messages_out: 1, types: ['order'] } });
});

test('replies to a thread that has joined go to the business', async () => {
  const cleo = await signInWithCode(service, 'cleo@miller-works.test');
  const first = await drop(cleo, { note: 'hello' });
  const miller = await claim(cleo, 'miller');
  await expect.poll(async () => (await miller.get('/outbox')).body.data.length).toBe(1);
  const response = await replyTo(first, 'late reply');
  expect(response.to.party).toEqual({ kind: 'handle', handle: 'miller', display_name: 'miller' });
  expect((await miller.get('/inbox')).body.data[0]).toMatchObject({ id: response.id, thread_id: first.thread_id });
  const reply = await miller.post('/messages', { in_reply_to: response.id, note: 'and back' });
  expect(reply.body).toMatchObject({ thread_id: first.thread_id, to: { party: { handle: 'shop' } } });
  expect((await miller.get(`/threads/${first.thread_id}`)).body).toMatchObject({ hidden: 0, data: [{}, {}, {}] });
});

test('the whole history of a domain joins the business that verifies it, and no later one', async () => {
  const operator = new Operator(service);
  const dan = await signInWithCode(service, 'dan@weaver-works.test');
  const eve = await signInWithCode(service, 'eve@weaver-works.test');
  const first = await drop(dan, { note: 'of dan' });
  const second = await drop(eve, { note: 'of eve' });
  await replyTo(second, 'to eve');
  const weaver = await service.business('weaver');
  const later = await service.business('later');
  await operator.verifyDomain('weaver', 'weaver-works.test');
  await expect.poll(async () => (await weaver.api.get('/outbox')).body.data.length).toBe(2);
  expect((await weaver.api.get('/inbox')).body.data).toHaveLength(1);
  expect((await weaver.api.get(`/messages/${first.id}`)).body.note).toBe('of dan');

  await operator.removeDomain('weaver', 'weaver-works.test');
  const third = await drop(dan, { note: 'after the domain was given up' });
  expect(third.from.party).toMatchObject({ kind: 'domain', domain: 'weaver-works.test' });
  await operator.verifyDomain('later', 'weaver-works.test');
  await expect.poll(async () => (await later.api.get('/outbox')).body.data.length).toBe(1);
  expect((await later.api.get(`/messages/${first.id}`)).status).toBe(404);
  expect((await weaver.api.get('/outbox')).body.data).toHaveLength(2);
  await operator.close();
});

test('a receipt shows the files of a message that has joined, and so does the message', async () => {
  const fay = await signInWithCode(service, 'fay@gmail.com');
  const form = new FormData();
  form.set('to', 'shop');
  form.set('file', new Blob(['bytes']), 'a.txt');
  const sent = await fay.post('/v1/drops', form);
  expect(sent.status, sent.text).toBe(201);
  expect(sent.body.from.party).toEqual({ kind: 'mailbox', email: 'fay@gmail.com', display_name: 'fay@gmail.com' });
  const fays = await claim(fay, 'fays');
  await expect.poll(async () => (await fays.get('/outbox')).body.data.length).toBe(1);
  const [message] = (await fays.get('/outbox')).body.data;
  expect(message.files).toMatchObject([{ filename: 'a.txt', size_bytes: 5 }]);
  expect(await (await fetch(message.files[0].download_url)).text()).toBe('bytes');
  const receipt = await service.anonymous.get(`/receipts/${message.receipt_url.split('/').at(-1)}`);
  expect(receipt.body.files).toMatchObject([{ filename: 'a.txt' }]);
});
