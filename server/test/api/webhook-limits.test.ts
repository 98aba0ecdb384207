import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

/** Six sites, of which one has many hosts. Nothing is sent here. */
const SITES = ['one.test', 'two.test', 'three.test', 'four.test', 'five.test', 'six.test'];
const HOSTS = Array.from({ length: 11 }, (_, i) => `a${i}.victim.test`);

let service: TestService;
let acme: TestBusiness;
let businesses = 0;

beforeAll(async () => {
  service = await startTestService({ WEBHOOK_PRIVATE_HOSTS: [...SITES, ...HOSTS, 'localhost', '127.0.0.1'].join(',') });
});
beforeEach(async () => {
  acme = await service.business(`acme-${++businesses}`);
});
afterAll(() => service.stop());

const post = (url: string, target?: string, api = acme.api) => api.write('POST', '/webhooks', { url, target });
const count = async (api = acme.api): Promise<number> => (await api.get('/webhooks?limit=200')).body.data.length;

async function created(url: string, target?: string, api?: Api): Promise<string> {
  const { status, text, body } = await post(url, target, api);
  expect(status, text).toBe(201);
  return body.id;
}

/** Sends concurrent requests to two processes. Returns how many were created. */
async function createdAtOnce(urls: string[]): Promise<number> {
  const sibling = await service.sibling();
  const asked = urls.map((url, i) => post(url, undefined, i % 2 ? acme.api : acme.api.at(sibling.url)));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  await sibling.stop();
  expect(new Set(statuses)).toEqual(new Set([201, 409]));
  return statuses.filter((status) => status === 201).length;
}

describe('a URL', () => {
  test.each([
    'http://one.test/hook?a=1',
    'http://ONE.test/hook?a=1',
    'http://one.test:80/hook?a=1',
    'http://one.test/hook?a=1#again',
    'http://one.test/x/../hook?a=1',
    'http:\\\\one.test\\hook?a=1',
    ' http://one.test/hook?a=1 ',
  ])('has one webhook, whose id is told: %j', async (again) => {
    const id = await created('http://one.test/hook?a=1');
    const refused = await post(again);
    expectRefusal(refused, 'conflict');
    expect(refused.body.error.message).toContain(id);
    expect(await count()).toBe(1);
  });

  test('has one webhook for each target, one in each business, and a new one when it is deleted', async () => {
    const id = await created('http://one.test/');
    await created('http://one.test/', 'orders');
    await created('http://one.test/', 'invoices');
    await created('http://one.test/other');
    const refused = await post('http://one.test/', `${acme.handle}/orders`);
    expectRefusal(refused, 'conflict');
    expect(refused.body.error.message).toContain('orders');
    const other = await service.business(`other-${businesses}`);
    await created('http://one.test/', undefined, other.api);
    expect((await acme.api.request('DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
    await created('http://one.test/');
  });

  test('has one webhook, however many ask at the same moment', async () => {
    expect(await createdAtOnce(Array(12).fill('http://one.test/'))).toBe(1);
    expect(await count()).toBe(1);
  });

  test.each(['\t', '\n', '\r\n', '\u0085', '\u001f', '\u007f'])('with the control character %j is refused', async (character) => {
    for (const url of [`http://one.test/a${character}b`, `http://one.test/a${character}`, `${character}http://one.test/`])
      expectRefusal(await post(url), 'invalid_webhook_url');
    expect(await count()).toBe(0);
  });
});

describe('a business', () => {
  test('has 50 webhooks at most, however many it asks for at the same moment', async () => {
    for (let i = 0; i < 48; i++) await created(`http://${SITES[i % 5]}/${i}`);
    expect(await createdAtOnce(Array.from({ length: 12 }, (_, i) => `http://six.test/${i}`))).toBe(2);
    const refused = await post('http://six.test/more');
    expectRefusal(refused, 'conflict');
    expect(refused.body.error.message).toContain('50 webhooks');
    expect(await count()).toBe(50);
  });

  test('has 10 webhooks at one host at most, and may go on when it has deleted one', async () => {
    expect(await createdAtOnce(Array.from({ length: 14 }, (_, i) => `http://localhost:${i + 1}/`))).toBe(10);
    const refused = await post('http://LOCALHOST/more');
    expectRefusal(refused, 'conflict');
    expect(refused.body.error.message).toMatch(/10 webhooks at localhost/);
    await created('http://127.0.0.1/');
    await created('http://one.test/');
    const [first] = (await acme.api.get('/webhooks')).body.data;
    expect((await acme.api.request('DELETE', `/v1/webhooks/${first.id}`)).status).toBe(204);
    await created('http://localhost/more');
  });

  test('has 10 webhooks at all hosts of one domain', async () => {
    for (const host of HOSTS.slice(0, 10)) await created(`http://${host}/`);
    const refused = await post(`http://${HOSTS[10]}/`);
    expectRefusal(refused, 'conflict');
    expect(refused.body.error.message).toContain('victim.test');
  });
});
