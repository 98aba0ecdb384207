import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdSearchIndex } from '../support/search.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
});
afterAll(() => service.stop());

async function receiver(handle: string): Promise<{ business: TestBusiness; id: string }> {
  const business = await service.business(handle);
  const { body } = await acme.api.send({ to: handle, subject: 'Order 4711' });
  return { business, id: body.id };
}

const idsIn = ({ data }: { data: { message: { id: string } }[] }) => data.map(({ message }) => message.id);

test('the first search waits for the index, and finds what came just before', async () => {
  const { business, id } = await receiver('globex');
  const { body } = await business.api.get('/search?q=order');
  expect(idsIn(body)).toEqual([id]);
  expect(body.complete).toBe(true);
});

test('so do several at once', async () => {
  const { business, id } = await receiver('initech');
  const responses = await Promise.all(Array.from({ length: 5 }, () => business.api.get('/search?q=order')));
  expect(responses.map(({ body }) => [idsIn(body), body.complete])).toEqual(Array(5).fill([[id], true]));
});

test('a business without messages does not wait', async () => {
  const business = await service.business('hooli');
  const index = await holdSearchIndex(service);
  const { body } = await business.api.get('/search?q=order');
  expect([body.data, body.complete]).toEqual([[], true]);
  await index.goOn();
});

test('where the index takes longer, the results are not called complete, and the next search does not wait again', async () => {
  const { business, id } = await receiver('umbrella');
  const index = await holdSearchIndex(service);
  const first = await business.api.get('/search?q=order');
  expect([first.body.data, first.body.complete]).toEqual([[], false]);
  const second = await business.api.get('/search?q=order');
  expect(second.body.complete).toBe(false);
  await index.goOn();
  await expect.poll(async () => idsIn((await business.api.get('/search?q=order')).body)).toEqual([id]);
  expect((await business.api.get('/search?q=order')).body.complete).toBe(true);
});
