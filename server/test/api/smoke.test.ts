import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(() => service.stop());

test('a message lands in the recipient’s inbox and the sender’s outbox', async () => {
  const sent = await acme.api.send({ to: 'globex', json: { a: 1 } });
  expect(sent.status).toBe(201);
  const inbox = await globex.api.get('/inbox');
  const outbox = await acme.api.get('/outbox');
  expect(inbox.body.data).toEqual([sent.body]);
  expect(outbox.body.data).toEqual([sent.body]);
});
