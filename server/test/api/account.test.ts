import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

let service: TestService;
let acme: TestBusiness;
let plain: TestBusiness;

beforeAll(async () => {
  service = await startTestService({ MONTHLY_MESSAGE_LIMIT: '1234', DAILY_UPLOAD_LIMIT_BYTES: '5678' });
  acme = await service.business('acme', { segment: 'orders' });
  plain = await service.business('plain', { scope: 'read' });
});
afterAll(() => service.stop());

describe('GET /me', () => {
  test('tells the business, the agent, the key, the addresses and the usage', async () => {
    const { status, body } = await acme.api.get('/me');
    expect(status).toBe(200);
    const month = new Date(body.usage.resets_at);
    expect(body).toEqual({
      business: {
        handle: 'acme',
        display_name: 'The acme company',
        verified_domains: [],
        accepting_drops: true,
        created_at: expect.stringMatching(ISO_TIME),
      },
      agent: { id: acme.agentId, name: 'Agent of acme', description: null },
      key: { id: acme.keyId, scope: 'read_write', prefix: acme.secret.slice(0, 8), created_at: expect.stringMatching(ISO_TIME) },
      addresses: {
        handle: 'acme',
        segment: 'acme/orders',
        email: null,
        drop_page: `${service.url}/@acme`,
      },
      usage: {
        period: new Date(month.getTime() - 1).toISOString().slice(0, 7),
        messages: { used: 0, limit: 1234 },
        uploads: { used_bytes: 0, limit_bytes: 5678, resets_at: expect.stringMatching(/T00:00:00\.000Z$/) },
        resets_at: expect.stringMatching(/^\d{4}-\d{2}-01T00:00:00\.000Z$/),
      },
    });
  });

  test('an agent without a segment is reached at the business’s own address', async () => {
    const { addresses, key } = (await plain.api.get('/me')).body;
    expect(addresses).toMatchObject({ handle: 'plain', segment: null, email: null });
    expect(key.scope).toBe('read');
  });

  test('gives the addresses that the operator has set', async () => {
    const port = String(await freePort());
    const sibling = await service.sibling({ PORT: port, PUBLIC_URL: 'https://waybill.example/', INBOUND_DOMAIN: 'In.Waybill.Example' });
    const { addresses } = (await acme.api.at(`http://127.0.0.1:${port}`).get('/me')).body;
    await sibling.stop();
    expect(addresses).toMatchObject({ email: 'acme+orders@in.waybill.example', drop_page: 'https://waybill.example/@acme' });
  });

  test('shows each key its own agent and scope', async () => {
    const reader = await acme.withKey('read');
    const { agent, key } = (await reader.get('/me')).body;
    expect(agent.id).toBe(acme.agentId);
    expect(key).toMatchObject({ scope: 'read', prefix: reader.secret?.slice(0, 8) });
    expect(key.id).not.toBe(acme.keyId);
  });

  test('never shows a whole key', async () => {
    expect((await acme.api.get('/me')).text).not.toContain(acme.secret.slice(0, 12));
  });

  test('counts what was sent, replies included, and not what was refused or received', async () => {
    const before = (await acme.api.get('/me')).body.usage.messages.used;
    const { body: first } = await acme.api.send({ to: 'acme' }, { 'idempotency-key': 'usage' });
    await acme.api.send({ to: 'acme' }, { 'idempotency-key': 'usage' });
    await acme.api.send({ in_reply_to: first.id });
    expectRefusal(await acme.api.send({ to: 'nobody-has-this' }), 'unknown_recipient');
    expect((await acme.api.get('/me')).body.usage.messages.used).toBe(before + 2);
    expect((await plain.api.get('/me')).body.usage.messages.used).toBe(0);
  });

  test('takes no query parameters', async () => {
    expectInvalid(await acme.api.get('/me?full=1'), 'full');
  });
});

describe('GET /public/{handle}', () => {
  const profile = (handle: string) => service.anonymous.get(`/public/${handle}`);

  test.each(['acme', 'ACME', 'AcMe'])('gives the profile of %s without a key', async (handle) => {
    const { status, body } = await profile(handle);
    expect(status).toBe(200);
    expect(body).toEqual({ handle: 'acme', display_name: 'The acme company', accepting_drops: true, verified_domains: [] });
  });

  test('knows the demo inbox, which takes no drops', async () => {
    expect((await profile('demo')).body).toEqual({
      handle: 'demo',
      display_name: expect.any(String),
      accepting_drops: false,
      verified_domains: [],
    });
  });

  test('knows a business from the moment it is there', async () => {
    const before = await profile('newcomer');
    await service.business('newcomer');
    const after = await profile('newcomer');
    expect([before.status, after.status]).toEqual([404, 200]);
  });

  test('responds alike to every handle that is unclaimed or invalid', async () => {
    const handles = [
      'nobody-has-this',
      'a',
      '-acme',
      'acme-',
      'ac%20me',
      'acme%00',
      '%E2%84%AAelvin',
      'acme%25',
      'x'.repeat(33),
      'x'.repeat(99),
      '%F0%9F%9A%9A',
      'api',
    ];
    const responses = await Promise.all(handles.map(profile));
    for (const response of responses) {
      expectRefusal(response, 'not_found');
      expect(withoutTraces(response)).toEqual(withoutTraces(responses[0] as (typeof responses)[number]));
    }
  });

  test('takes the Kelvin sign for no k', async () => {
    await service.business('kelvin');
    expect((await profile('kelvin')).status).toBe(200);
    expectRefusal(await profile('%E2%84%AAelvin'), 'not_found');
  });
});
