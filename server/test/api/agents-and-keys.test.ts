import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.ts';
import { claimedBy, joinedBy } from '../support/businesses.ts';
import type { MemberApi } from '../support/member.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const UNKNOWN_AGENT = 'agt_01m7esn1ewfewbnh1q9v4wahsb';
const UNKNOWN_KEY = 'key_01m7esn1ewfewbnh1q9v4wahsb';

let service: TestService;
let owner: MemberApi;
let admin: MemberApi;
let stranger: MemberApi;

beforeAll(async () => {
  service = await startTestService();
  owner = await claimedBy(service, 'ann@tailor-works.test', 'tailor');
  admin = await joinedBy(service, owner, 'ben@tailor-works.test', 'admin');
  stranger = await claimedBy(service, 'sue@elsewhere.test', 'elsewhere');
});
afterAll(() => service.stop());

const newAgent = async (by = owner) => {
  const { status, body, text } = await by.post('/agents', { name: 'Till' });
  expect(status, text).toBe(201);
  return body;
};
const mint = async (agentId: string, scope = 'read_write', by = owner) => {
  const { status, body, text } = await by.post(`/agents/${agentId}/keys`, { scope });
  expect(status, text).toBe(201);
  return body;
};
const keysOf = async (agentId: string) => (await owner.get(`/agents/${agentId}/keys`)).body.data;
const holding = (secret: string) => new Api(service.url, secret);

describe('an agent', () => {
  test('is made by an admin, and listed from then on', async () => {
    const { status, body } = await admin.post('/agents', { name: ' Billing ', description: 'Writes bills', segment: 'Billing' });
    expect(status).toBe(201);
    expect(body).toEqual({
      ...{ id: expect.stringMatching(/^agt_[0-9a-z]{26}$/), name: 'Billing', description: 'Writes bills' },
      ...{ segment: 'billing', address: 'tailor/billing', created_at: expect.stringMatching(ISO_TIME) },
    });
    expect((await owner.get(`/agents/${body.id}`)).body).toEqual(body);
    expect((await owner.get('/agents')).body.data).toContainEqual(body);
    expect(await keysOf(body.id)).toEqual([]);
  });

  test('needs a name, and a segment that is free and can be one', async () => {
    expectInvalid(await owner.post('/agents', {}), 'name');
    expectInvalid(await owner.post('/agents', { name: '  ' }), 'name');
    expectInvalid(await owner.post('/agents', { name: 'x'.repeat(101) }), 'name');
    expectInvalid(await owner.post('/agents', { name: 'x', description: 'x'.repeat(501) }), 'description');
    expectInvalid(await owner.post('/agents', { name: 'x', segment: 'a_b' }), 'segment');
    expectInvalid(await owner.post('/agents', { name: 'x', scope: 'read' }), 'scope');
    await owner.post('/agents', { name: 'First', segment: 'first' });
    const before = (await owner.get('/agents')).text;
    expectRefusal(await owner.post('/agents', { name: 'Second', segment: 'FIRST' }), 'conflict');
    expect((await owner.get('/agents')).text).toBe(before);
    expect((await stranger.post('/agents', { name: 'Theirs', segment: 'first' })).status).toBe(201);
  });
});

describe('a key', () => {
  test.each(['read', 'read_write'])('with scope %s works at once, and says whose it is', async (scope) => {
    const agent = await newAgent();
    const key = await mint(agent.id, scope);
    expect(key).toEqual({ id: expect.stringMatching(/^key_[0-9a-z]{26}$/), scope, secret: expect.stringMatching(/^wb_[0-9A-Za-z]{36}$/) });
    const api = holding(key.secret);
    const me = (await api.get('/me')).body;
    expect(me).toMatchObject({ business: { handle: 'tailor' }, agent: { id: agent.id }, key: { id: key.id, scope } });
    const sent = await api.send({ to: 'elsewhere' });
    if (scope === 'read') expectRefusal(sent, 'forbidden');
    else expect(sent.body.from.actor).toMatchObject({ kind: 'agent', id: agent.id, provider: 'api_key' });
  });

  test('shows its secret once, and is listed by how it begins', async () => {
    const agent = await newAgent();
    const { id, secret } = await mint(agent.id, 'read', admin);
    const response = await owner.get(`/agents/${agent.id}/keys`);
    const times = { created_at: expect.stringMatching(ISO_TIME), last_used_at: null, revoked_at: null };
    expect(response.body).toEqual({ data: [{ id, scope: 'read', prefix: secret.slice(0, 8), ...times }], next_cursor: null });
    expect(response.text).not.toContain(secret.slice(0, 12));
    const stored = await service.sql('SELECT k::text AS row FROM api_keys k');
    expect(JSON.stringify(stored)).not.toContain(secret.slice(3, 20));
  });

  test('is listed with when it was last used', async () => {
    const agent = await newAgent();
    const [used, unused] = [await mint(agent.id), await mint(agent.id)];
    const before = Date.now();
    expect((await holding(used.secret).get('/me')).status).toBe(200);
    const lastUse = async (id: string) => (await keysOf(agent.id)).find((key: { id: string }) => key.id === id).last_used_at;
    await expect.poll(() => lastUse(used.id), { timeout: 60_000 }).toMatch(ISO_TIME);
    expect(Date.parse(await lastUse(used.id))).toBeGreaterThanOrEqual(before - 1_000);
    expect(await lastUse(unused.id)).toBeNull();
  });

  test('that is revoked is refused from the next request on, in every process, and its siblings work on', async () => {
    const sibling = await service.sibling();
    const agent = await newAgent();
    const [key, other] = [await mint(agent.id), await mint(agent.id)];
    for (let round = 0; round < 2; round++)
      for (const url of [service.url, sibling.url]) expect((await holding(key.secret).at(url).get('/me')).status).toBe(200);
    expect((await admin.delete(`/keys/${key.id}`)).status).toBe(204);
    for (const url of [service.url, sibling.url]) {
      expectRefusal(await holding(key.secret).at(url).get('/me'), 'unauthorized');
      expect((await holding(other.secret).at(url).get('/me')).status).toBe(200);
    }
    await sibling.stop();
    const revoked = (await keysOf(agent.id)).find(({ id }: { id: string }) => id === key.id);
    expect(revoked.revoked_at).toMatch(ISO_TIME);
    expect((await owner.delete(`/keys/${key.id}`)).status).toBe(204);
    expect((await keysOf(agent.id)).find(({ id }: { id: string }) => id === key.id)).toEqual(revoked);
  });

  test('outlives the membership of its creator, until it is revoked', async () => {
    const leaver = await joinedBy(service, owner, 'cleo@tailor-works.test', 'admin');
    const { id, secret } = await mint((await newAgent(leaver)).id, 'read', leaver);
    const account = (await leaver.browser.get('/v1/account')).body;
    expect((await owner.delete(`/members/${account.id}`)).status).toBe(204);
    expectRefusal(await leaver.delete(`/keys/${id}`), 'forbidden');
    expect((await holding(secret).get('/me')).status).toBe(200);
    expect((await owner.delete(`/keys/${id}`)).status).toBe(204);
    expectRefusal(await holding(secret).get('/me'), 'unauthorized');
  });

  test('has one of two scopes', async () => {
    const { id } = await newAgent();
    for (const scope of ['admin', 'READ', '', null, ['read']]) expectInvalid(await owner.post(`/agents/${id}/keys`, { scope }), 'scope');
    expectInvalid(await owner.post(`/agents/${id}/keys`, {}), 'scope');
    expectInvalid(await owner.post(`/agents/${id}/keys`, { scope: 'read', secret: 'wb_x' }), 'secret');
    expect(await keysOf(id)).toEqual([]);
  });
});

describe('another business', () => {
  test('is told the same of an agent as of one that is not there', async () => {
    const { id } = await newAgent();
    await mint(id);
    const asked = async (agent: string) =>
      [
        await stranger.get(`/agents/${agent}/keys`),
        await stranger.post(`/agents/${agent}/keys`, { scope: 'read' }),
        await stranger.get(`/agents/${agent}`),
        await stranger.patch(`/agents/${agent}`, { name: 'Mine now' }),
      ].map(withoutTraces);
    const unknown = await asked(UNKNOWN_AGENT);
    expect(unknown.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    for (const wrong of [id, id.replace('agt', 'key'), id.toUpperCase(), 'x', '%00']) expect(await asked(wrong), wrong).toEqual(unknown);
    expect(await keysOf(id)).toHaveLength(1);
  });

  test('can’t revoke a key, nor tell that there is one', async () => {
    const { id, secret } = await mint((await newAgent()).id);
    const unknown = withoutTraces(await stranger.delete(`/keys/${UNKNOWN_KEY}`));
    expect(unknown.status).toBe(404);
    for (const wrong of [id, id.replace('key', 'agt'), id.toUpperCase(), secret, secret.slice(0, 8), '%00'])
      expect(withoutTraces(await stranger.delete(`/keys/${wrong}`)), wrong).toEqual(unknown);
    expectRefusal(await owner.delete(`/keys/${id.replace('key', 'agt')}`), 'not_found');
    expect((await holding(secret).get('/me')).status).toBe(200);
  });
});
