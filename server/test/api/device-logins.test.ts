import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEVICE_LOGINS_WAITING_PER_NETWORK_MAX, IPV6_SITE_FACTOR } from '../../src/contract/limits.ts';
import { Api } from '../support/api.ts';
import { claimedBy, joinedBy, personIdOf } from '../support/businesses.ts';
import type { MemberApi } from '../support/member.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';

interface Login {
  device_code: string;
  user_code: string;
  verification_url: string;
}

let service: TestService;
let owner: MemberApi;
let member: MemberApi;
let stranger: MemberApi;
let agentId: string;

beforeAll(async () => {
  service = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' });
  owner = await claimedBy(service, 'ann@acme-device.test', 'acme');
  member = await joinedBy(service, owner, 'max@acme-device.test', 'member');
  stranger = await claimedBy(service, 'sue@elsewhere.test', 'elsewhere');
  agentId = (await owner.post('/agents', { name: 'Command line' })).body.id;
});
afterAll(() => service.stop());

async function begin(name = 'waybill on laptop'): Promise<Login> {
  const { status, text, body } = await service.anonymous.write('POST', '/device-logins', { name });
  expect(status, text).toBe(201);
  return body;
}

const ask = ({ device_code }: Pick<Login, 'device_code'>) => service.anonymous.write('POST', '/device-logins/key', { device_code });
const allow = ({ user_code }: Login, by = owner, scope = 'read_write', agent_id = agentId) =>
  by.post(`/device-logins/${user_code}`, { agent_id, scope });
const shown = ({ user_code }: Login) => owner.browser.get(`/v1/device-logins/${user_code}`);

describe('the login of a program', () => {
  test('gives it a key of the agent, once a person has allowed it', async () => {
    const login = await begin();
    expect(login.user_code).toMatch(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
    expect(login.verification_url).toBe(`${service.url}/device`);
    expect((await ask(login)).status).toBe(202);
    expect((await shown(login)).body).toMatchObject({ name: 'waybill on laptop' });
    expect((await allow(login)).status).toBe(204);
    const { status, body } = await ask(login);
    expect([status, body]).toEqual([
      200,
      {
        key: expect.stringMatching(/^wb_/),
        key_id: expect.stringMatching(/^key_/),
        scope: 'read_write',
        handle: 'acme',
        display_name: expect.any(String),
        agent_id: agentId,
      },
    ]);
    expect((await new Api(service.url, body.key).get('/me')).status).toBe(200);
    expectRefusal(await ask(login), 'not_found');
  });

  test('gives one key to two who ask at once', async () => {
    const login = await begin();
    await allow(login, owner, 'read');
    const statuses = (await Promise.all([ask(login), ask(login), ask(login)])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 404, 404]);
  });

  test('takes the code in any case, and without its hyphen', async () => {
    const login = await begin();
    const code = login.user_code.toLowerCase().replace('-', '');
    expect((await owner.browser.get(`/v1/device-logins/${code}`)).status).toBe(200);
    expect((await owner.post(`/device-logins/${code}`, { agent_id: agentId, scope: 'read' })).status).toBe(204);
    expect((await ask(login)).body.scope).toBe('read');
  });

  test('is decided once', async () => {
    const login = await begin();
    await allow(login);
    for (const response of [await allow(login, stranger, 'read', agentId), await allow(login), await shown(login)])
      expectRefusal(response, 'not_found');
    expectRefusal(await owner.browser.request('DELETE', `/v1/device-logins/${login.user_code}`), 'not_found');
    expect((await ask(login)).body.handle).toBe('acme');
  });

  test('can be refused', async () => {
    const login = await begin();
    expect((await stranger.browser.request('DELETE', `/v1/device-logins/${login.user_code}`)).status).toBe(204);
    expectRefusal(await ask(login), 'not_found');
    expectRefusal(await allow(login), 'not_found');
  });

  test('expires', async () => {
    const [login, allowed] = [await begin(), await begin()];
    await allow(allowed);
    await service.sql("UPDATE device_logins SET expires_at = now() - interval '1 second'");
    for (const response of [await ask(login), await ask(allowed), await allow(login), await shown(login)])
      expectRefusal(response, 'not_found');
    await begin();
    expect((await service.sql('SELECT count(*)::integer AS count FROM device_logins'))[0]?.['count']).toBe(1);
  });
});

describe('a person who has allowed a login', () => {
  test('and is removed before the program asks, has given it nothing', async () => {
    const admin = await joinedBy(service, owner, 'adam@acme-device.test', 'admin');
    const login = await begin();
    expect((await allow(login, admin)).status).toBe(204);
    expect((await owner.delete(`/members/${await personIdOf(admin)}`)).status).toBe(204);
    expectRefusal(await ask(login), 'not_found');
  });

  test('and loses the role, even for a moment, has given it nothing', async () => {
    const admin = await joinedBy(service, owner, 'eve@acme-device.test', 'admin');
    const [login, later] = [await begin(), await begin()];
    expect((await allow(login, admin)).status).toBe(204);
    for (const role of ['member', 'admin']) expect((await owner.patch(`/members/${await personIdOf(admin)}`, { role })).status).toBe(200);
    expectRefusal(await ask(login), 'not_found');
    expect((await allow(later, admin)).status).toBe(204);
    expect((await ask(later)).status).toBe(200);
  });
});

describe('nobody', () => {
  test('but admins and owners can allow it, and only for agents of their own business', async () => {
    const login = await begin();
    expectRefusal(await allow(login, member), 'forbidden');
    expectRefusal(await allow(login, stranger), 'not_found');
    expectRefusal(await allow(login, owner, 'read', 'agt_nonsense'), 'not_found');
    expect((await ask(login)).status).toBe(202);
  });

  test('learns a key by the user code, or a login without its codes', async () => {
    const login = await begin();
    await allow(login);
    expectRefusal(await ask({ device_code: login.user_code }), 'not_found');
    expectRefusal(await service.anonymous.get(`/device-logins/${login.user_code}`), 'unauthorized');
    expectRefusal(await owner.browser.get('/v1/device-logins/BBBB-BBBB'), 'not_found');
    const [row] = await service.sql('SELECT * FROM device_logins WHERE party_id IS NOT NULL LIMIT 1');
    expect(JSON.stringify(row)).not.toContain(login.device_code);
  });

  test('takes the places of others', async () => {
    await service.sql('DELETE FROM device_logins');
    const begun = await Promise.all(Array.from({ length: 80 }, () => service.anonymous.write('POST', '/device-logins', { name: 'x' })));
    expect(begun.filter(({ status }) => status === 201)).toHaveLength(DEVICE_LOGINS_WAITING_PER_NETWORK_MAX);
    expectRefusal(await service.anonymous.write('POST', '/device-logins', { name: 'x' }), 'rate_limited');
    await service.sql("UPDATE device_logins SET network = 'another'");
    expect((await service.anonymous.write('POST', '/device-logins', { name: 'x' })).status).toBe(201);
  });

  test('takes them with all addresses of an IPv6 /56, or all networks of a /48', async () => {
    await service.sql('DELETE FROM device_logins');
    const beginFrom = (address: string) =>
      fetch(`${service.url}/v1/device-logins`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: '{"name":"x"}',
      }).then(({ status }) => status);
    const from = (networks: string[]) => Promise.all(networks.map(beginFrom));
    const ofOne = await from(Array.from({ length: 60 }, (_, i) => `2001:db8:1:${(0x100 + i).toString(16)}::1`));
    expect(ofOne.filter((status) => status === 201)).toHaveLength(DEVICE_LOGINS_WAITING_PER_NETWORK_MAX);
    const ofMany = await from(Array.from({ length: 200 }, (_, i) => `2001:db8:1:${(0x200 + i * 0x100).toString(16)}::1`));
    expect(ofMany.filter((status) => status === 201)).toHaveLength(DEVICE_LOGINS_WAITING_PER_NETWORK_MAX * (IPV6_SITE_FACTOR - 1));
    expect(await beginFrom('2001:db8:2::1')).toBe(201);
  });

  test('can hide what a program calls itself', async () => {
    expectInvalid(await service.anonymous.write('POST', '/device-logins', { name: 'x'.repeat(101) }), 'name');
    const login = await begin('safe\u202egpj.exe\u200b ');
    expect((await shown(login)).body.name).toBe('safe gpj.exe');
    expect((await shown(await begin(' \u200b '))).body.name).toBe('A program');
  });
});
