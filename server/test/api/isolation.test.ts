import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatId, formatReceiptToken, newReceiptToken, newUuid } from '../../src/contract/ids.ts';
import type { Api, ApiResponse } from '../support/api.ts';
import { ids, list } from '../support/pages.ts';
import { expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let stranger: TestBusiness;
// biome-ignore lint/suspicious/noExplicitAny: an envelope as it came
let secret: any;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme', { segment: 'orders' });
  globex = await service.business('globex', { segment: 'orders' });
  stranger = await service.business('stranger', { segment: 'orders' });
  secret = (
    await acme.api.send({ to: 'globex/orders', type: 'merger', subject: 'secret', json: { price: 1 } }, { 'idempotency-key': 'k1' })
  ).body;
  await globex.api.send({ in_reply_to: secret.id, type: 'merger' });
  // Both know the stranger, who is a stranger to this conversation only.
  await stranger.api.send({ to: 'acme', type: 'hello' });
  await stranger.api.send({ to: 'globex', type: 'hello' });
  await acme.api.send({ to: 'stranger', type: 'hello' });
});
afterAll(() => service.stop());

const unknownMessage = () => formatId('msg', newUuid());
const unknownThread = () => formatId('thr', newUuid());

type Probe = [name: string, ask: (api: Api, ids: { message: string; thread: string; agent: string }) => Promise<ApiResponse>];

/** Every way of an API key to name a message, a thread or an agent. */
const probes: Probe[] = [
  ['GET /messages/{id}', (api, { message }) => api.get(`/messages/${message}`)],
  ['HEAD /messages/{id}', (api, { message }) => api.request('HEAD', `/v1/messages/${message}`)],
  ['GET /messages/{id} with a query', (api, { message }) => api.get(`/messages/${message}?x=1`)],
  ['GET /messages/{id}/document.pdf', (api, { message }) => api.get(`/messages/${message}/document.pdf`)],
  ['GET /messages/{id}/document.csv', (api, { message }) => api.get(`/messages/${message}/document.csv`)],
  ['GET /messages/{id}/document.xml', (api, { message }) => api.get(`/messages/${message}/document.xml`)],
  ['GET /threads/{id}', (api, { thread }) => api.get(`/threads/${thread}`)],
  ['HEAD /threads/{id}', (api, { thread }) => api.request('HEAD', `/v1/threads/${thread}`)],
  ['GET /threads/{id} in pages', (api, { thread }) => api.get(`/threads/${thread}?limit=1`)],
  ['GET /threads/{id} with a bad limit', (api, { thread }) => api.get(`/threads/${thread}?limit=0`)],
  ['GET /threads/{id} with a bad cursor', (api, { thread }) => api.get(`/threads/${thread}?cursor=abc`)],
  ['PATCH /threads/{id}', (api, { thread }) => api.patch(`/threads/${thread}`, { status: 'done' })],
  ['GET /threads/{id}/comments', (api, { thread }) => api.get(`/threads/${thread}/comments`)],
  ['POST /threads/{id}/comments', (api, { thread }) => api.write('POST', `/threads/${thread}/comments`, { text: 'x' })],
  ['POST /threads/{id}/read', (api, { thread }) => api.write('POST', `/threads/${thread}/read`, {})],
  ['POST /threads/batch', (api, { thread }) => api.write('POST', '/threads/batch', { ids: [thread], status: 'done' })],
  ['a thread that is assigned to its agent', (api, { agent }) => api.get(`/threads?assignee=${agent}`)],
  ['GET /inbox by thread', (api, { thread }) => api.get(`/inbox?thread=${thread}`)],
  ['GET /outbox by thread', (api, { thread }) => api.get(`/outbox?thread=${thread}`)],
  ['GET /inbox by thread and sender', (api, { thread }) => api.get(`/inbox?thread=${thread}&from=acme`)],
  ['GET /inbox by thread and type', (api, { thread }) => api.get(`/inbox?thread=${thread}&type=merger`)],
  ['GET /inbox by thread and segment', (api, { thread }) => api.get(`/inbox?thread=${thread}&to=orders`)],
  ['GET /inbox by thread and time', (api, { thread }) => api.get(`/inbox?thread=${thread}&since=2020-01-01T00:00:00Z&limit=1`)],
  ['a reply', (api, { message }) => api.send({ in_reply_to: message })],
  ['a reply to a named recipient', (api, { message }) => api.send({ in_reply_to: message, to: 'acme' })],
  ['a reply to the other recipient', (api, { message }) => api.send({ in_reply_to: message, to: 'globex/orders' })],
  ['a reply to a recipient nobody has', (api, { message }) => api.send({ in_reply_to: message, to: 'no-such-handle' })],
  ['a reply to oneself', (api, { message }) => api.send({ in_reply_to: message, to: 'stranger' })],
  ['a reply with the sender’s idempotency key', (api, { message }) => api.send({ in_reply_to: message }, { 'idempotency-key': 'k1' })],
  ['a reply with files', (api, { message }) => api.send({ in_reply_to: message, files: ['upl_x'] })],
  ['a malformed reply', (api, { message }) => api.send({ in_reply_to: message, subject: 1 })],
  ['GET /agents/{id}', (api, { agent }) => api.get(`/agents/${agent}`)],
  ['PATCH /agents/{id}', (api, { agent }) => api.patch(`/agents/${agent}`, { name: 'Mine now' })],
  ['PATCH /agents/{id} with its own segment', (api, { agent }) => api.patch(`/agents/${agent}`, { segment: 'orders' })],
  ['PATCH /agents/{id} with nonsense', (api, { agent }) => api.patch(`/agents/${agent}`, { colour: 'red' })],
];

describe('a third party is told the same of what exists as of what does not, by', () => {
  test.each(probes)('%s', async (_name, ask) => {
    const real = await ask(stranger.api, { message: secret.id, thread: secret.thread_id, agent: acme.agentId });
    const unknown = await ask(stranger.api, { message: unknownMessage(), thread: unknownThread(), agent: formatId('agt', newUuid()) });
    expect(withoutTraces(real)).toEqual(withoutTraces(unknown));
    expect(real.text).not.toContain(secret.id);
    expect(real.text).not.toContain('secret');
  });
});

describe('a third party without a key', () => {
  test.each(probes)('learns nothing by %s', async (_name, ask) => {
    const real = await ask(service.anonymous, { message: secret.id, thread: secret.thread_id, agent: acme.agentId });
    expect(real.status).toBe(401);
    const unknown = await ask(service.anonymous, { message: unknownMessage(), thread: unknownThread(), agent: formatId('agt', newUuid()) });
    expect(withoutTraces(real)).toEqual(withoutTraces(unknown));
  });
});

test('both parties can read the message, and nobody else', async () => {
  for (const { api } of [acme, globex]) expect((await api.get(`/messages/${secret.id}`)).body).toEqual(secret);
  expectRefusal(await stranger.api.get(`/messages/${secret.id}`), 'not_found');
});

test('a malformed message id is treated like an unknown one', async () => {
  const unknown = withoutTraces(await stranger.api.get(`/messages/${unknownMessage()}`));
  const { id } = secret;
  for (const malformed of [
    id.toUpperCase(),
    id.slice(4),
    id.replace('msg', 'thr'),
    `${id}0`,
    `msg_8${id.slice(5)}`,
    'msg_',
    'x',
    '%00',
    '..%2F..',
    '%E2%84%AA',
  ]) {
    expect(withoutTraces(await stranger.api.get(`/messages/${malformed}`)), malformed).toEqual(unknown);
  }
});

test('in_reply_to that is not an id is treated like an unknown one', async () => {
  const unknown = withoutTraces(await stranger.api.send({ in_reply_to: unknownMessage() }));
  for (const malformed of ['', 'x', 'msg_', secret.thread_id, secret.id.toUpperCase()]) {
    expect(withoutTraces(await stranger.api.send({ in_reply_to: malformed })), malformed).toEqual(unknown);
  }
});

test('a third party’s lists hold nothing of it, whatever the filter', async () => {
  for (const filters of [
    {},
    { from: 'acme' },
    { from: 'globex' },
    { type: 'merger' },
    { to: 'orders' },
    { since: '2020-01-01T00:00:00Z' },
    { validation: 'not_applicable' },
  ]) {
    const response = await list(stranger.api, '/inbox', filters as Record<string, string>);
    expect(response.text).not.toContain(secret.id);
    expect(response.text).not.toContain('merger');
  }
  expect((await stranger.api.get('/outbox')).text).not.toContain(secret.thread_id);
});

test('probing leaves nothing behind in anybody’s lists', async () => {
  const before = [await acme.api.get('/inbox'), await globex.api.get('/inbox'), await stranger.api.get('/outbox')];
  for (const [, ask] of probes) await ask(stranger.api, { message: secret.id, thread: secret.thread_id, agent: acme.agentId });
  const after = [await acme.api.get('/inbox'), await globex.api.get('/inbox'), await stranger.api.get('/outbox')];
  expect(after.map(({ text }) => text)).toEqual(before.map(({ text }) => text));
  expect((await acme.api.get(`/agents/${acme.agentId}`)).body.name).toBe('Agent of acme');
});

test('another business’s use of an idempotency key stays unseen', async () => {
  const mine = await stranger.api.send({ to: 'globex', type: 'mine' }, { 'idempotency-key': 'k1' });
  expect(mine.status).toBe(201);
  expect(mine.headers.get('idempotent-replayed')).toBeNull();
  expect(mine.body.type).toBe('mine');
});

test('a receipt opens with its token only: a wrong one says nothing', async () => {
  const token = secret.receipt_url.split('/r/')[1] as string;
  const last = token.at(-1) === '0' ? '1' : '0';
  const near = withoutTraces(await service.anonymous.get(`/receipts/${token.slice(0, -1)}${last}`));
  const far = withoutTraces(await service.anonymous.get(`/receipts/${formatReceiptToken(newReceiptToken(1n))}`));
  expect(near).toEqual(far);
  expect(near.status).toBe(404);
});

test('agents of another business are not listed', async () => {
  expect(ids((await stranger.api.get('/agents')).body.data)).toEqual([stranger.agentId]);
});
