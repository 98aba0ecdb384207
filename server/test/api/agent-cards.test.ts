import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimedBy, joinedBy } from '../support/businesses.ts';
import type { MemberApi } from '../support/member.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: MemberApi;

beforeAll(async () => {
  service = await startTestService();
  owner = await claimedBy(service, 'olga@acme.test', 'acme');
});
afterAll(() => service.stop());

const card = (handle: string) => service.anonymous.request('GET', `/@${handle}/.well-known/agent-card.json`);
const turn = (agent_card: unknown, by: MemberApi = owner) => by.patch('/business', { agent_card });

test('a business has no card until an owner or admin turns it on, and none after it is turned off', async () => {
  expect((await owner.get('/business')).body.agent_card).toBe(false);
  expectRefusal(await card('acme'), 'not_found');
  const member = await joinedBy(service, owner, 'mia@acme.test', 'member');
  expectRefusal(await turn(true, member), 'forbidden');
  expectInvalid(await turn('yes'), 'agent_card');
  expect((await turn(true)).body.agent_card).toBe(true);
  // A change of another field keeps the setting.
  expect((await owner.patch('/business', { display_name: 'Acme' })).body).toMatchObject({ display_name: 'Acme', agent_card: true });
  expect((await card('ACME')).body.name).toBe('Acme');
  await turn(false);
  expectRefusal(await card('acme'), 'not_found');
});

test('the card has what A2A 1.0 requires: who, where, how to prove oneself, and the agents with a segment as skills', async () => {
  await turn(true);
  await owner.post('/agents', { name: 'Order desk', description: 'Takes purchase orders.', segment: 'orders' });
  await owner.post('/agents', { name: 'Hidden' });
  const { status, headers, body } = await card('acme');
  expect([status, headers.get('content-type'), headers.get('access-control-allow-origin'), headers.get('cache-control')]).toEqual([
    ...[200, 'application/json; charset=utf-8', '*', 'public, max-age=60'],
  ]);
  expect(body).toMatchObject({
    name: 'Acme',
    description: expect.stringContaining('acme'),
    supportedInterfaces: [
      { url: `${service.url}/v1/messages`, protocolBinding: 'urn:waybill:http-api:v1', protocolVersion: '1.0', tenant: 'acme' },
    ],
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    capabilities: { extensions: [{ uri: 'urn:waybill:messages:v1', required: true, params: { handle: 'acme', schema: null } }] },
    securitySchemes: { key: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    defaultInputModes: ['application/json', 'text/plain'],
    defaultOutputModes: ['application/json', 'text/plain'],
  });
  expect(body.skills).toMatchObject([
    { id: 'acme', tags: ['messages'], description: expect.stringContaining('any JSON') },
    { id: 'acme/orders', name: 'Order desk', description: 'Takes purchase orders.', tags: ['messages', 'orders'] },
  ]);
  expect(body.skills).toHaveLength(2);
});

test('a published schema is part of the card, another is not', async () => {
  await turn(true);
  await owner.request('PUT', '/inbox/schema', { schema: { type: 'object' } });
  expect((await card('acme')).body.capabilities.extensions[0].params.schema).toBeNull();
  await owner.patch('/inbox/schema', { published: true });
  const url = `${service.url}/v1/public/acme/schema`;
  const { capabilities, skills } = (await card('acme')).body;
  expect(capabilities.extensions[0].params.schema).toBe(url);
  expect(skills[0].description).toContain(url);
});

test('the path of the origin takes the handle as a parameter', async () => {
  await turn(true);
  const byQuery = (query: string) => service.anonymous.request('GET', `/.well-known/agent-card.json${query}`);
  expect((await byQuery('?handle=acme')).body).toEqual((await card('acme')).body);
  expectInvalid(await byQuery(''), 'handle');
  for (const handle of ['nobody', '..', 'a'.repeat(500), '__proto__', 'constructor']) {
    expectRefusal(await byQuery(`?handle=${handle}`), 'not_found');
    expect([handle, (await card(handle)).status]).toEqual([handle, 404]);
  }
});

test('a card that has not changed is not sent again', async () => {
  await turn(true);
  const etag = (await card('acme')).headers.get('etag') ?? '';
  const again = await service.anonymous.request('GET', '/@acme/.well-known/agent-card.json', { headers: { 'if-none-match': etag } });
  expect([again.status, again.text]).toEqual([304, '']);
});
