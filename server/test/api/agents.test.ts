import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatId, newUuid } from '../../src/contract/ids.ts';
import { Operator } from '../support/operator.ts';
import { everyPage, ids, list } from '../support/pages.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let operator: Operator;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  operator = new Operator(service);
  acme = await service.business('acme', { segment: 'orders' });
  globex = await service.business('globex', { segment: 'orders' });
});
afterAll(async () => {
  await operator.close();
  await service.stop();
});

const newAgent = (name: string, segment?: string) => operator.addAgent('acme', name, segment);
const change = (id: string, body: unknown) => acme.api.patch(`/agents/${id}`, body);

describe('GET /agents', () => {
  test('lists the agents of the business in the order of their creation', async () => {
    const billing = await newAgent('Billing', 'billing');
    const silent = await newAgent('Silent');
    const { status, body } = await acme.api.get('/agents');
    expect(status).toBe(200);
    expect(body.next_cursor).toBeNull();
    const created_at = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    expect(body.data).toEqual([
      { id: acme.agentId, name: 'Agent of acme', description: null, segment: 'orders', address: 'acme/orders', created_at },
      { id: billing, name: 'Billing', description: null, segment: 'billing', address: 'acme/billing', created_at },
      { id: silent, name: 'Silent', description: null, segment: null, address: 'acme', created_at },
    ]);
  });

  test('comes in pages', async () => {
    const all = ids((await acme.api.get('/agents')).body.data);
    const pages = await everyPage(acme.api, '/agents', { limit: 2 });
    expect(ids(pages.flat())).toEqual(all);
    expect(pages[0]).toHaveLength(2);
    expectInvalid(await list(acme.api, '/agents', { limit: 0 }), 'limit');
    expectInvalid(await list(acme.api, '/agents', { cursor: 'x' }), 'cursor');
    expectInvalid(await list(acme.api, '/agents', { q: 'x' }), 'q');
  });
});

describe('GET /agents/{id}', () => {
  test('gives one agent, as the list does', async () => {
    const [first] = (await acme.api.get('/agents')).body.data;
    const { status, body } = await acme.api.get(`/agents/${acme.agentId}`);
    expect(status).toBe(200);
    expect(body).toEqual(first);
  });

  test('treats another business’s agent like an unknown or malformed id', async () => {
    const wrong = [
      globex.agentId,
      formatId('agt', newUuid()),
      acme.agentId.toUpperCase(),
      acme.agentId.slice(4),
      acme.keyId,
      'agt_',
      'x',
      '%00',
    ];
    const responses = await Promise.all(wrong.map((id) => acme.api.get(`/agents/${id}`)));
    for (const response of responses) {
      expectRefusal(response, 'not_found');
      expect(withoutTraces(response)).toEqual(withoutTraces(responses[0] as (typeof responses)[number]));
    }
  });
});

describe('PATCH /agents/{id}', () => {
  test('changes what is given, leaves the rest, and returns the changed agent', async () => {
    const id = await newAgent('Before', 'before');
    const steps: [change: object, now: object][] = [
      [{ name: 'After' }, { name: 'After', description: null, segment: 'before', address: 'acme/before' }],
      [{ description: 'Does things' }, { name: 'After', description: 'Does things', segment: 'before' }],
      [{ segment: 'after' }, { name: 'After', description: 'Does things', segment: 'after', address: 'acme/after' }],
      [{ segment: null }, { description: 'Does things', segment: null, address: 'acme' }],
      [{ description: null }, { name: 'After', description: null, segment: null }],
      [{ description: '' }, { description: '' }],
      [
        { name: 'All', description: 'at', segment: 'once' },
        { name: 'All', description: 'at', segment: 'once' },
      ],
    ];
    for (const [given, now] of steps) {
      const { status, body } = await change(id, given);
      expect(status).toBe(200);
      expect(body).toMatchObject({ id, ...now });
      expect((await acme.api.get(`/agents/${id}`)).body).toEqual(body);
    }
  });

  test('shows at once in what the agent does next', async () => {
    await change(acme.agentId, { name: 'Fresh name', description: 'fresh' });
    expect((await acme.api.get('/me')).body.agent).toEqual({ id: acme.agentId, name: 'Fresh name', description: 'fresh' });
    const { body } = await acme.api.send({ to: 'globex' });
    expect(body.from.actor).toMatchObject({ id: acme.agentId, name: 'Fresh name' });
    const sibling = await service.sibling();
    await acme.api.at(sibling.url).get('/me');
    await change(acme.agentId, { name: 'Agent of acme' });
    await expect.poll(async () => (await acme.api.at(sibling.url).get('/me')).body.agent.name).toBe('Agent of acme');
    await sibling.stop();
  });

  test('trims a name, and takes 100 characters of any script', async () => {
    const id = await newAgent('Trim');
    expect((await change(id, { name: '  Order desk ' })).body.name).toBe('Order desk');
    expect((await change(id, { name: '🚚'.repeat(100) })).body.name).toBe('🚚'.repeat(100));
    expect((await change(id, { description: 'é'.repeat(500) })).status).toBe(200);
  });

  test.each([
    ['name', ''],
    ['name', '   '],
    ['name', null],
    ['name', 7],
    ['name', 'x'.repeat(101)],
    ['name', '🚚'.repeat(101)],
    ['name', 'a\u0000b'],
    ['name', 'a\ud800'],
    ['name', ['a']],
    ['description', 'x'.repeat(501)],
    ['description', 5],
    ['description', 'a\u0000'],
    ['description', {}],
    ['segment', ''],
    ['segment', 'x'.repeat(32)],
    ['segment', '-orders'],
    ['segment', 'orders-'],
    ['segment', 'or ders'],
    ['segment', 'or_ders'],
    ['segment', 'or/ders'],
    ['segment', 'or+ders'],
    ['segment', 'ördërs'],
    ['segment', '\u212A'],
    ['segment', 'a\u0000'],
    ['segment', 5],
    ['segment', false],
    ['id', 'agt_x'],
    ['address', 'acme/x'],
    ['Name', 'x'],
    ['__proto__', {}],
  ])('refuses %s: %j', async (field, value) => {
    const before = (await acme.api.get(`/agents/${acme.agentId}`)).text;
    expectInvalid(await change(acme.agentId, `{${JSON.stringify(field)}:${JSON.stringify(value)}}`), field);
    expect((await acme.api.get(`/agents/${acme.agentId}`)).text).toBe(before);
  });

  test.each(['{}', '[]', '"x"', '5', 'null', 'true', '[{"name":"x"}]'])('refuses the body %s', async (body) => {
    expectRefusal(await change(acme.agentId, body), 'validation_error');
  });

  test.each(['', '{', '{"name":"x"', "{'name':'x'}", '{"name":"x"}}', 'name=x', '\ufeff{"name":"x"}'])(
    'refuses the broken JSON %s',
    async (body) => {
      expectRefusal(await change(acme.agentId, body), 'invalid_json');
    },
  );

  test('refuses bodies that are no JSON, too large or not UTF-8', async () => {
    const path = `/v1/agents/${acme.agentId}`;
    const json = { 'content-type': 'application/json' };
    expectRefusal(
      await acme.api.request('PATCH', path, { body: 'name=x', headers: { 'content-type': 'text/plain' } }),
      'unsupported_media_type',
    );
    expectRefusal(
      await acme.api.request('PATCH', path, { body: JSON.stringify({ name: 'x'.repeat(70_000) }), headers: json }),
      'json_too_large',
    );
    const broken = Uint8Array.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('"}')]);
    expectRefusal(await acme.api.request('PATCH', path, { body: broken, headers: json }), 'invalid_json');
  });

  test.each(['a', '0', 'x'.repeat(31), 'a-b', 'a--b', '0-9'])('takes the segment %s', async (segment) => {
    const id = await newAgent('Taker');
    expect((await change(id, { segment })).body).toMatchObject({ segment, address: `acme/${segment}` });
    await change(id, { segment: null });
  });

  test('keeps segments in lower case', async () => {
    const id = await newAgent('Shouter');
    expect((await change(id, { segment: 'LOUD' })).body.segment).toBe('loud');
    expectRefusal(await change(acme.agentId, { segment: 'Loud' }), 'conflict');
  });

  test('responds with conflict for a segment that a colleague has, and changes nothing else either', async () => {
    const id = await newAgent('Late', 'late');
    expectRefusal(await change(id, { segment: 'orders', name: 'Early' }), 'conflict');
    expect((await acme.api.get(`/agents/${id}`)).body).toMatchObject({ name: 'Late', segment: 'late' });
  });

  test('takes the segment that the agent has already, one that was given up, and one of another business', async () => {
    const [giver, taker] = [await newAgent('Giver', 'given'), await newAgent('Taker')];
    expect((await change(giver, { segment: 'given' })).status).toBe(200);
    await change(giver, { segment: null });
    expect((await change(taker, { segment: 'given' })).status).toBe(200);
    await service.business('elsewhere', { segment: 'free' });
    expect((await change(giver, { segment: 'free' })).status).toBe(200);
  });

  test('is not found for another business’s agent, which stays as it was', async () => {
    expectRefusal(await change(globex.agentId, { name: 'Stolen', segment: 'stolen' }), 'not_found');
    expect((await globex.api.get(`/agents/${globex.agentId}`)).body).toMatchObject({ name: 'Agent of globex', segment: 'orders' });
  });
});

describe('agents that claim segments at the same moment', () => {
  test('never share one: exactly one of them gets it', async () => {
    const sibling = await service.sibling();
    const rivals = await Promise.all(Array.from({ length: 8 }, (_, i) => newAgent(`Rival ${i}`)));
    for (let round = 0; round < 5; round++) {
      const claims = rivals.map((id, i) =>
        acme.api.at(i % 2 ? service.url : sibling.url).patch(`/agents/${id}`, { segment: `prize-${round}` }),
      );
      const statuses = (await Promise.all(claims)).map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array(7).fill(409)]);
      const holders = (await acme.api.get('/agents?limit=200')).body.data.filter(
        ({ segment }: { segment: string }) => segment === `prize-${round}`,
      );
      expect(holders).toHaveLength(1);
    }
    await sibling.stop();
  });

  test('can try to swap: each is told yes or conflict', async () => {
    const [left, right] = [await newAgent('Left', 'left'), await newAgent('Right', 'right')];
    for (let round = 0; round < 5; round++) {
      const responses = await Promise.all([change(left, { segment: 'right' }), change(right, { segment: 'left' })]);
      for (const { status, text } of responses) expect([200, 409], text).toContain(status);
      await change(left, { segment: null });
      await change(right, { segment: 'right' });
      await change(left, { segment: 'left' });
    }
  });

  test('and the same agent asked twice at once ends with one of both', async () => {
    const id = await newAgent('Twin');
    for (let round = 0; round < 5; round++) {
      const responses = await Promise.all(['twin-a', 'twin-b', 'twin-c'].map((segment) => change(id, { segment })));
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(['twin-a', 'twin-b', 'twin-c']).toContain((await acme.api.get(`/agents/${id}`)).body.segment);
    }
  });

  test('and more of them than the service has connections to its database are all served', async () => {
    const id = await newAgent('Crowd');
    const responses = await Promise.all(Array.from({ length: 60 }, (_, i) => change(id, { description: `change ${i}` })));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  });
});
