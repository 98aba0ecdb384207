import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { BATCH_REQUEST_MAX_BYTES, BATCH_REQUEST_MAX_MESSAGES, JSON_MAX_BYTES } from '../../src/contract/limits.ts';
import type { Api, ApiResponse } from '../support/api.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { tracesOfSends } from '../support/traces.ts';
import { upload } from '../support/transfer.ts';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(() => service.stop());

const sendBatch = (api: Api, messages: unknown[], headers: Record<string, string> = {}) =>
  api.write('POST', '/messages/batch', { messages }, headers);
const outcomesOf = ({ status, body, text }: ApiResponse) => {
  expect(status, text).toBe(200);
  return body.data as { status: number; message: { id: string; subject: string } | null; error: { code: string } | null }[];
};
const statuses = (response: ApiResponse) => outcomesOf(response).map(({ status, error }) => error?.code ?? status);
const numbered = (count: number) => Array.from({ length: count }, (_, i) => ({ to: 'globex', subject: `${i}`, json: { i } }));
const outbox = async (api: Api, limit = 200) => (await api.get(`/outbox?limit=${limit}&include=summary`)).body.data;

describe('a batch', () => {
  test('delivers its messages in their order, each as a send alone would, and says so without their json', async () => {
    const sender = await service.business('in-order');
    const sent = outcomesOf(await sendBatch(sender.api, numbered(BATCH_REQUEST_MAX_MESSAGES)));
    const listed = await outbox(sender.api);
    expect(sent.map(({ message }) => message)).toEqual(listed.toReversed());
    expect(listed.map(({ subject }: { subject: string }) => Number(subject))).toEqual(
      numbered(BATCH_REQUEST_MAX_MESSAGES).map((_, i) => 99 - i),
    );
    expect(sent[7]).toEqual({
      status: 201,
      message: listed[92],
      error: null,
      retry_after: null,
      idempotent_replayed: false,
      idempotent_body_differs: false,
    });
    const { body } = await globex.api.get(`/messages/${sent[7]?.message?.id}`);
    expect([body.json, body.from.party.handle]).toEqual([{ i: 7 }, 'in-order']);
  });

  test('carries json byte for byte', async () => {
    const json = '{ "z" : 1.50, "a":[1e2,\t"\\u00e9"], "z2":12345678901234567890 }';
    const response = await acme.api.write(
      'POST',
      '/messages/batch',
      `{"messages":[ {"to":"globex","json":${json}} ,{"to":"globex","json":null}]}`,
    );
    const [first, second] = outcomesOf(response);
    expect((await globex.api.get(`/messages/${first?.message?.id}`)).text).toContain(json);
    expect((await globex.api.get(`/messages/${second?.message?.id}`)).body.json_bytes_sha256).toMatch(/^sha256:/);
  });

  test('refuses a message for itself alone, and leaves nothing of it behind', async () => {
    const before = await tracesOfSends(service);
    const good = { to: 'globex' };
    const bad = [
      { to: 'nobody-there' },
      { subject: 'to nobody' },
      { to: 'globex', colour: 'red' },
      { to: 'globex', files: ['upl_00000000000000000000000000'] },
      { in_reply_to: 'msg_00000000000000000000000000' },
      { to: 'globex', idempotency_key: 'a b' },
      'a text',
      null,
      [],
    ];
    const response = await sendBatch(acme.api, [good, ...bad, good]);
    expect(statuses(response)).toEqual([
      201,
      'unknown_recipient',
      'validation_error',
      'validation_error',
      'upload_not_found',
      'not_found',
      'validation_error',
      'validation_error',
      'validation_error',
      'validation_error',
      201,
    ]);
    expect(response.body.data[3]).toMatchObject({ status: 400, message: null, error: { details: [{ path: '/colour' }] } });
    const after = await tracesOfSends(service);
    expect([Number(after.messages) - Number(before.messages), Number(after.counted) - Number(before.counted)]).toEqual([2, 2]);
  });

  test('may hold replies, files and several recipients', async () => {
    const { body: received } = await globex.api.send({ to: 'acme' });
    const id = await upload(acme.api, 'hello');
    const response = await sendBatch(acme.api, [{ in_reply_to: received.id }, { to: 'globex', files: [id] }, { to: 'acme' }]);
    expect(statuses(response)).toEqual([201, 201, 201]);
    const [reply, withFile] = response.body.data;
    expect([reply.message.thread_id, withFile.message.files[0].size_bytes]).toEqual([received.thread_id, 5]);
  });

  test('is limited in messages, in bytes, and by its shape', async () => {
    expectInvalid(await sendBatch(acme.api, []), 'messages');
    expectInvalid(await sendBatch(acme.api, numbered(BATCH_REQUEST_MAX_MESSAGES + 1)), 'messages');
    expectInvalid(await acme.api.write('POST', '/messages/batch', { messages: {} }), 'messages');
    expectInvalid(await acme.api.write('POST', '/messages/batch', {}), 'messages');
    expectInvalid(await acme.api.write('POST', '/messages/batch', { messages: numbered(1), more: 1 }), 'more');
    expectInvalid(await acme.api.write('POST', '/messages/batch', '{"messages":[],"messages":[{"to":"globex"}]}'), 'messages');
    expectRefusal(await acme.api.write('POST', '/messages/batch', '{"messages":[{"to":"globex"}'), 'invalid_json');
    expectRefusal(
      await acme.api.write('POST', '/messages/batch', `{"messages":["${'x'.repeat(BATCH_REQUEST_MAX_BYTES)}"]}`),
      'json_too_large',
    );
    const tooLarge = { to: 'globex', json: 'x'.repeat(JSON_MAX_BYTES) };
    expect(statuses(await sendBatch(acme.api, [tooLarge, { to: 'globex' }]))).toEqual(['json_too_large', 201]);
    expectRefusal(await sendBatch(await acme.withKey('read'), numbered(1)), 'forbidden');
  });

  test('can’t be signed', async () => {
    const headers = { 'signature-input': 'sig=("@method");created=1', signature: 'sig=:AA==:', 'content-digest': 'sha-256=:AA==:' };
    expectRefusal(await sendBatch(acme.api, numbered(1), headers), 'invalid_signature');
  });
});

describe('the key of a message in a batch', () => {
  const replayed = ({ body }: ApiResponse) => body.data.map((one: { idempotent_replayed: boolean }) => one.idempotent_replayed);

  test('is that of the request with its index: a repeat sends nothing, and returns the originals', async () => {
    const headers = { 'idempotency-key': `order ${randomUUID()}`.replace(' ', '-') };
    const first = await sendBatch(acme.api, numbered(3), headers);
    const before = await tracesOfSends(service);
    const repeat = await sendBatch(acme.api, numbered(3), headers);
    expect(await tracesOfSends(service)).toEqual(before);
    expect(replayed(first)).toEqual([false, false, false]);
    expect(replayed(repeat)).toEqual([true, true, true]);
    expect(repeat.body.data.map(({ message }: { message: unknown }) => message)).toEqual(outcomesOf(first).map(({ message }) => message));
    const alone = await acme.api.send({ to: 'globex', subject: 'other' }, { 'idempotency-key': `${headers['idempotency-key']}/1` });
    expect([alone.headers.get('idempotent-replayed'), alone.headers.get('idempotent-body-differs')]).toEqual(['true', 'true']);
  });

  test('may be its own, and is the same in every batch and in a send alone', async () => {
    const own = randomUUID();
    const single = await acme.api.send({ to: 'globex', subject: 'first' }, { 'idempotency-key': own });
    const response = await sendBatch(acme.api, [{ to: 'globex' }, { to: 'globex', subject: 'second', idempotency_key: own }]);
    expect(replayed(response)).toEqual([false, true]);
    expect(response.body.data[1]).toMatchObject({ idempotent_body_differs: true, message: { id: single.body.id, subject: 'first' } });
  });

  test('given twice in a batch, sends one message', async () => {
    const message = { to: 'globex', subject: 'twice', idempotency_key: randomUUID() };
    const [first, second] = outcomesOf(await sendBatch(acme.api, [message, message]));
    expect(second).toEqual({ ...first, idempotent_replayed: true });
  });

  test('returns the original even for a message that would be refused', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await sendBatch(acme.api, [{ to: 'globex' }], headers);
    const repeat = await sendBatch(acme.api, [{ to: 'globex', colour: 'red' }], headers);
    expect(repeat.body.data[0]).toEqual({ ...first.body.data[0], idempotent_replayed: true, idempotent_body_differs: true });
  });

  test('leaves room for the index', async () => {
    expectInvalid(await sendBatch(acme.api, numbered(1), { 'idempotency-key': 'x'.repeat(253) }), 'Idempotency-Key');
    expect(statuses(await sendBatch(acme.api, numbered(1), { 'idempotency-key': 'x'.repeat(252) }))).toEqual([201]);
  });

  test('holds for batches at once: each message is sent once', async () => {
    const sender = await service.business('at-once');
    const headers = { 'idempotency-key': randomUUID() };
    const responses = await Promise.all(Array.from({ length: 5 }, () => sendBatch(sender.api, numbered(20), headers)));
    const ids = responses.map((response) => outcomesOf(response).map(({ message }) => message?.id));
    expect(new Set(ids.flat()).size).toBe(20);
    expect(await outbox(sender.api)).toHaveLength(20);
  });
});

test('a batch is charged as many requests as it has messages, and each message against the quota', async () => {
  const limited = await startTestService({ MONTHLY_MESSAGE_LIMIT: '7', RATE_LIMIT_PER_MINUTE: '60', RATE_LIMIT_BURST: '60' });
  onTestFinished(() => limited.stop());
  const [sender] = await Promise.all([limited.business('acme'), limited.business('globex')]);
  const response = await sendBatch(sender.api, numbered(10));
  expect(statuses(response)).toEqual([...Array(7).fill(201), ...Array(3).fill('quota_exceeded')]);
  expect(response.body.data[9].retry_after).toBeGreaterThan(0);
  expect([response.headers.get('ratelimit-cost'), response.headers.get('ratelimit-remaining')]).toEqual(['10', '50']);
});
