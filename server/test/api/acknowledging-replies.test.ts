import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACKNOWLEDGEMENT_REASON_MAX_CHARS } from '../../src/contract/limits.ts';
import type { ApiResponse } from '../support/api.ts';
import { sendForm } from '../support/form.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { newSigningKey, signedWrite } from '../support/signing.ts';

let service: TestService;
let [acme, globex] = [] as unknown as [TestBusiness, TestBusiness];

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(() => service.stop());

type Said = { status: string; reason: string | null };

const order = async (): Promise<string> => (await acme.api.send({ to: 'globex', type: 'order', json: { number: 'PO-1' } })).body.id;
const reply = (id: string, acknowledge: unknown, more: object = {}, by = globex): Promise<ApiResponse> =>
  by.api.send({ in_reply_to: id, type: 'order.confirmation', acknowledge, ...more });
const say = (id: string, body: unknown, by = globex) => by.api.write('POST', `/messages/${id}/acknowledge`, body);
const list = async (id: string, by = acme): Promise<Said[]> => (await by.api.get(`/messages/${id}/acknowledgements`)).body.data;
const statusesOf = async (id: string) => (await list(id)).map(({ status }) => status);
const said = (id: string, ...statuses: string[]) => expect.poll(() => statusesOf(id)).toEqual(statuses);
const due = () => service.sql('SELECT FROM due_acknowledgements');
const sentBy = async (business: TestBusiness) => (await business.api.get('/outbox?limit=100')).body.data.length;

describe('a reply that acknowledges', () => {
  test('is sent, and both parties have the acknowledgement of the agent that replied', async () => {
    const id = await order();
    const { status, body } = await reply(id, { status: 'accepted', reason: 'Grüße' });
    expect([status, body.in_reply_to]).toEqual([201, id]);
    await said(id, 'accepted');
    const [one] = await list(id);
    const party = { kind: 'handle', handle: 'globex' };
    expect(one).toMatchObject({
      status: 'accepted',
      reason: 'Grüße',
      number: 1,
      party,
      actor: { id: globex.agentId },
      signing_key_id: null,
    });
    expect(await list(id, globex)).toEqual([one]);
    expect(await due()).toEqual([]);
    expect(Object.keys(body)).not.toContain('acknowledge');
  });

  test('goes on from what was said before, by either way', async () => {
    const id = await order();
    expect((await reply(id, { status: 'accepted' })).status).toBe(201);
    expect((await reply(id, { status: 'processed', reason: 'Done.' })).status).toBe(201);
    await said(id, 'accepted', 'processed');
    const other = await order();
    expect((await say(other, { status: 'accepted' })).status).toBe(201);
    expect((await reply(other, { status: 'rejected' })).status).toBe(201);
    await said(other, 'accepted', 'rejected');
  });

  test('can say the same again', async () => {
    const id = await order();
    for (let i = 0; i < 3; i++) expect((await reply(id, { status: 'accepted' })).status).toBe(201);
    await said(id, 'accepted');
    expect((await reply(id, { status: 'accepted', reason: null })).status).toBe(201);
    expect(await statusesOf(id)).toEqual(['accepted']);
  });

  test('is written before an acknowledgement that follows at once', async () => {
    for (let i = 0; i < 10; i++) {
      const id = await order();
      expect((await reply(id, { status: 'accepted' })).status).toBe(201);
      expect((await say(id, { status: 'processed' })).status).toBe(201);
      expect(await statusesOf(id)).toEqual(['accepted', 'processed']);
    }
    await expect.poll(due).toEqual([]);
  });

  test('to an own message in the own inbox acknowledges that', async () => {
    const { id } = (await acme.api.send({ to: 'acme', json: 1 })).body;
    expect((await reply(id, { status: 'accepted' }, {}, acme)).status).toBe(201);
    await said(id, 'accepted');
  });

  test('null says nothing', async () => {
    const id = await order();
    expect((await reply(id, null)).status).toBe(201);
    expect(await list(id)).toEqual([]);
  });
});

describe('a reply that contradicts what was said before', () => {
  test.each([
    ['rejected', { status: 'accepted' }],
    ['processed', { status: 'rejected' }],
    ['accepted', { status: 'accepted', reason: 'another' }],
  ])('after %s, %j gets 409 and leaves nothing', async (before, acknowledge) => {
    const id = await order();
    expect((await say(id, { status: before })).status).toBe(201);
    const count = await sentBy(globex);
    expectRefusal(await reply(id, acknowledge), 'conflict');
    expect(await sentBy(globex)).toBe(count);
    expect(await statusesOf(id)).toEqual([before]);
  });

  test('of two that come at once, one is sent', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await order();
      const [count, statuses] = [await sentBy(globex), ['processed', 'rejected', 'processed', 'rejected']];
      const responses = await Promise.all(statuses.map((status, i) => reply(id, { status, reason: `${i}` })));
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
      expect(await sentBy(globex)).toBe(count + 1);
      const winner = responses.findIndex(({ status }) => status === 201);
      await said(id, statuses[winner] ?? '');
    }
  });

  test('fails no other message of its batch', async () => {
    const id = await order();
    const responses = await Promise.all([
      ...['processed', 'rejected'].map((status) => reply(id, { status })),
      ...Array.from({ length: 6 }, (_, i) => globex.api.send({ to: 'acme', note: `${i}` })),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 201, 201, 409]);
  });

  test('does not win against an acknowledgement on its own at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await order();
      const responses = await Promise.all([reply(id, { status: 'processed' }), say(id, { status: 'rejected' })]);
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
      await said(id, responses[0]?.status === 201 ? 'processed' : 'rejected');
    }
    expect(await due()).toEqual([]);
  });
});

describe('an idempotency key', () => {
  test('makes a repeat acknowledge once, also after more was said', async () => {
    const id = await order();
    const key = { 'Idempotency-Key': `confirm-${id}` };
    const body = { in_reply_to: id, acknowledge: { status: 'accepted' } };
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => globex.api.send(body, key)));
    for (const other of others) expect([other.status, other.body.id]).toEqual([201, first?.body.id]);
    await said(id, 'accepted');
    expect((await say(id, { status: 'processed' })).status).toBe(201);
    const again = await globex.api.send(body, key);
    expect([again.status, again.body.id, again.headers.get('idempotent-replayed')]).toEqual([201, first?.body.id, 'true']);
    expect(again.headers.get('idempotent-body-differs')).toBeNull();
    const differs = await globex.api.send({ ...body, acknowledge: { status: 'processed' } }, key);
    expect(differs.headers.get('idempotent-body-differs')).toBe('true');
    expect(await statusesOf(id)).toEqual(['accepted', 'processed']);
  });
});

describe('what is refused', () => {
  test('without a message that the sender has received', async () => {
    const id = await order();
    expectInvalid(await reply(id, { status: 'accepted' }, {}, acme), 'acknowledge');
    expectInvalid(await acme.api.send({ to: 'globex', acknowledge: { status: 'accepted' } }), 'acknowledge');
    const stranger = await service.business('stranger');
    const [foreign, unknown] = await Promise.all(
      [id, `msg_${'0'.repeat(26)}`].map((one) => reply(one, { status: 'accepted' }, {}, stranger)),
    );
    expectRefusal(foreign as ApiResponse, 'not_found');
    expect(unknown?.body.error.code).toEqual(foreign?.body.error.code);
    const reader = await globex.withKey('read');
    expectRefusal(await reader.write('POST', '/messages', { in_reply_to: id, acknowledge: { status: 'accepted' } }), 'forbidden');
    expect(await list(id)).toEqual([]);
  });

  test.each([
    ['accepted'],
    [{}],
    [{ status: 'lost' }],
    [{ status: 'accepted', reason: 'x'.repeat(ACKNOWLEDGEMENT_REASON_MAX_CHARS + 1) }],
    [{ status: 'accepted', reason: 'a\0' }],
    [{ status: 'accepted', reason: '\ud800' }],
    [{ status: 'accepted', number: 1 }],
    [[]],
  ])('%j', async (acknowledge) => {
    const id = await order();
    expectRefusal(await reply(id, acknowledge), 'validation_error');
    expect(await list(id)).toEqual([]);
  });

  test('a form, and a signed request', async () => {
    const id = await order();
    const parts = [
      { name: 'in_reply_to', bytes: id },
      { name: 'acknowledge', bytes: '{"status":"accepted"}' },
    ];
    expectRefusal(await sendForm(globex.api, parts), 'validation_error');
    const key = await newSigningKey(service, globex);
    const signed = await signedWrite(globex, key, '/messages', { in_reply_to: id, acknowledge: { status: 'accepted' } });
    expect([signed.status, signed.body.error.code]).toEqual([400, 'invalid_signature']);
    expect(signed.body.error.message).toContain('/acknowledge');
    expect(await list(id)).toEqual([]);
  });
});

test('a batch has replies that acknowledge, each judged on its own', async () => {
  const [one, other] = [await order(), await order()];
  const messages = [
    { in_reply_to: one, acknowledge: { status: 'rejected', reason: 'Sold out.' } },
    { in_reply_to: one, acknowledge: { status: 'processed' } },
    { in_reply_to: other, acknowledge: { status: 'accepted' } },
  ];
  const { body } = await globex.api.write('POST', '/messages/batch', { messages });
  expect(body.data.map(({ status }: { status: number }) => status)).toEqual([201, 409, 201]);
  await said(one, 'rejected');
  await said(other, 'accepted');
});
