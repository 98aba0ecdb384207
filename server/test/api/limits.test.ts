import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatId, newUuid, parseId } from '../../src/contract/ids.ts';
import type { ApiResponse } from '../support/api.ts';
import { accept, claimedBy, invitationToken, joinedBy, personIdOf, tryClaim } from '../support/businesses.ts';
import { listed, save } from '../support/contacts.ts';
import { MemberApi } from '../support/member.ts';
import { everyPage } from '../support/pages.ts';
import { signInWithCode } from '../support/people.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let made = 0;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const several = (count: number, ask: (i: number) => Promise<ApiResponse>) => Promise.all(Array.from({ length: count }, (_, i) => ask(i)));
const owned = () => claimedBy(service, `owner${++made}@gmx.de`, `limited-${made}`);

/** Five concurrent requests at a limit with room for two: two succeed. */
function expectTwoOf(responses: ApiResponse[], limit: RegExp): void {
  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409]);
  for (const response of responses.filter(({ status }) => status === 409)) {
    expectRefusal(response, 'conflict');
    expect(response.body.error.message).toMatch(limit);
  }
}

describe('blocks', () => {
  test('are 10,000 at most, however many are added at once', async () => {
    const { api, handle } = await service.business('blocker');
    await service.sql(
      `INSERT INTO blocks (party_id, id, email_domain)
       SELECT p.id, gen_random_uuid(), 'b' || n || '.example' FROM parties p, generate_series(1, 9998) n WHERE p.handle = $1`,
      [handle],
    );
    const add = (email_domain: string) => api.write('POST', '/blocks', { email_domain });
    expectTwoOf(await several(5, (i) => add(`more-${i}.example`)), /10000 blocks/);
    const known = await add('b7.example');
    expect(known.status).toBe(200);
    expect((await api.request('DELETE', `/v1/blocks/${known.body.id}`)).status).toBe(204);
    expect((await add('room-again.example')).status).toBe(201);
    expectRefusal(await api.write('POST', '/blocks', { user_id: formatId('usr', newUuid()) }), 'conflict');
  });
});

describe('saved contacts', () => {
  let owner: TestBusiness;
  beforeAll(async () => {
    owner = await service.business('collector');
    await save(owner.api, { domain: 'first.example' });
    await service.sql(`UPDATE saved_contacts SET count = 99998 WHERE party_id = (SELECT id FROM parties WHERE handle = 'collector')`);
  });

  test('are 100,000 at most, however many are saved at once', async () => {
    expectTwoOf(await several(5, (i) => save(owner.api, { domain: `saved-${i}.example` })), /100000 contacts/);
    expect((await save(owner.api, { domain: 'first.example', label: 'Again' })).status).toBe(200);
  });

  test('that are refused leave nothing behind, and parties that write are still listed', async () => {
    const parties = () => service.sql(`SELECT FROM parties WHERE domain LIKE 'refused-%'`);
    const responses = await several(5, (i) => save(owner.api, { domain: `refused-${i}.example` }));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([409]));
    expect(await parties()).toEqual([]);
    const sender = await service.business('writes-anyway');
    expect((await sender.api.send({ to: 'collector' })).status).toBe(201);
    expect(await listed(owner.api, { q: 'writes-anyway' })).toHaveLength(1);
    expectRefusal(await save(owner.api, { handle: 'writes-anyway' }), 'conflict');
    expect(await listed(owner.api, { q: 'writes-anyway', saved: 'false' })).toHaveLength(1);
  });
});

describe('agents', () => {
  test('are 200 at most, however many are created at once', async () => {
    const owner = await owned();
    await service.sql(
      `INSERT INTO agents (party_id, id, name) SELECT p.id, gen_random_uuid(), 'Agent' FROM parties p, generate_series(1, 198) WHERE p.handle = $1`,
      [owner.handle],
    );
    expectTwoOf(await several(5, (i) => owner.post('/agents', { name: `Agent ${i}` })), /200 agents/);
  });
});

describe('keys of an agent', () => {
  const mint = (owner: MemberApi, agent: string, scope = 'read') => owner.post(`/agents/${agent}/keys`, { scope });
  const agentOf = async (owner: MemberApi) => (await owner.post('/agents', { name: 'Agent' })).body.id;

  test('are 20 at most, not counting those that are revoked', async () => {
    const owner = await owned();
    const agent = await agentOf(owner);
    const minted = await several(18, () => mint(owner, agent));
    expectTwoOf(await several(5, () => mint(owner, agent)), /20 keys/);
    expect((await mint(owner, await agentOf(owner))).status).toBe(201);
    await owner.delete(`/keys/${minted[0]?.body.id}`);
    expect((await mint(owner, agent)).status).toBe(201);
    expectRefusal(await mint(owner, agent), 'conflict');
  });

  test('come in pages', async () => {
    const owner = await owned();
    const agent = await agentOf(owner);
    const minted: string[] = [];
    for (let i = 0; i < 5; i++) minted.push((await mint(owner, agent)).body.id);
    const pages = await everyPage(owner, `/agents/${agent}/keys`, { limit: 2 });
    expect(pages.map((page) => page.map(({ id }) => id))).toEqual([minted.slice(0, 2), minted.slice(2, 4), minted.slice(4)]);
    expectInvalid(await owner.get(`/agents/${agent}/keys?limit=0`), 'limit');
    const cursor = (await owner.get(`/agents/${agent}/keys?limit=1`)).body.next_cursor;
    expectInvalid(await owner.get(`/agents/${await agentOf(owner)}/keys?cursor=${cursor}`), 'cursor');
  });

  test('that are revoked are remembered up to a number, the newest of them', async () => {
    const owner = await owned();
    const agent = await agentOf(owner);
    const first = (await mint(owner, agent)).body.id;
    await owner.delete(`/keys/${first}`);
    await service.sql(
      `INSERT INTO api_keys (party_id, id, agent_id, scope, prefix, secret_hash, revoked_at)
       SELECT k.party_id, new_uuid(now()), k.agent_id, k.scope, k.prefix, sha256(n::text::bytea), now()
         FROM api_keys k, generate_series(1, 180) n WHERE k.agent_id = $1`,
      [parseId('agt', agent)],
    );
    expect((await owner.get(`/agents/${agent}/keys?limit=200`)).body.data).toHaveLength(181);
    const live = (await mint(owner, agent)).body.id;
    const kept = (await owner.get(`/agents/${agent}/keys?limit=200`)).body.data.map(({ id }: { id: string }) => id);
    expect(kept).toHaveLength(181);
    expect(kept).not.toContain(first);
    expect(kept).toContain(live);
  });
});

describe('members and invitations', () => {
  const fill = (owner: MemberApi, count: number) =>
    service.sql(
      `INSERT INTO invitations (party_id, id, email, role, token_hash, created_at, expires_at)
       SELECT p.id, gen_random_uuid(), 'guest' || n || '@gmx.de', 'member', sha256((p.id || ':' || n)::bytea), now() - interval '2 days', now() + interval '1 day'
         FROM parties p, generate_series(1, $2::integer) n WHERE p.handle = $1`,
      [owner.handle, count],
    );
  const invite = (owner: MemberApi, email: string) => owner.post('/invitations', { email, role: 'member' });

  test('200 invitations can be open, however many are made at once', async () => {
    const owner = await owned();
    await fill(owner, 198);
    expectTwoOf(await several(5, (i) => invite(owner, `new${i}@gmx.de`)), /200 open invitations/);
    // A repeated invitation of the same person does not count.
    expect((await invite(owner, 'guest1@gmx.de')).status).toBe(201);
    const [open] = (await owner.get('/invitations')).body.data;
    await owner.delete(`/invitations/${open.id}`);
    expect((await invite(owner, 'after-all@gmx.de')).status).toBe(201);
  });

  test('500 members, those invited included', async () => {
    const owner = await owned();
    await service.sql(
      `WITH p AS (INSERT INTO people (id, email, email_verified, name) SELECT gen_random_uuid(), 'm' || n || '@web.de', true, 'M' FROM generate_series(1, 487) n RETURNING id)
       INSERT INTO members (party_id, person_id, role) SELECT b.id, p.id, 'member' FROM p, parties b WHERE b.handle = $1`,
      [owner.handle],
    );
    await fill(owner, 10);
    expectTwoOf(await several(5, (i) => invite(owner, `late${i}@gmx.de`)), /500 members/);
    const [invited] = await service.sql<{ email: string }>(
      `SELECT i.email FROM invitations i JOIN parties p ON p.id = i.party_id WHERE p.handle = $1 AND i.email LIKE 'late%' LIMIT 1`,
      [owner.handle],
    );
    const guest = await signInWithCode(service, invited?.email ?? '');
    expect((await accept(guest, await invitationToken(service, invited?.email ?? ''))).status).toBe(200);
  });
});

test('a person claims 20 businesses in 30 days, even if others own them afterwards', async () => {
  const person = await signInWithCode(service, 'founder@gmx.de');
  const heir = 'heir@gmx.de';
  const claim = async (handle: string) => {
    expect((await tryClaim(person, handle)).status).toBe(201);
    return new MemberApi(person, handle);
  };
  const first = await claim('founded-0');
  const heirs = await personIdOf(await joinedBy(service, first, heir, 'owner'));
  expect((await first.delete(`/members/${await personIdOf(first)}`)).status).toBe(204);
  for (let i = 1; i < 20; i++) await claim(`founded-${i}`);
  expect(heirs).toMatch(/^usr_/);
  const response = await tryClaim(person, 'founded-20');
  expectRefusal(response, 'conflict');
  expect(response.body.error.message).toMatch(/20 businesses in 30 days/);
  await service.sql(`UPDATE parties SET claimed_at = now() - interval '31 days' WHERE handle = 'founded-0'`);
  expect((await tryClaim(person, 'founded-20')).status).toBe(201);
});
