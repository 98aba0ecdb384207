import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hardJson } from '../../../server/test/support/hard-json.ts';
import { contentHashOf } from '../../../server/test/support/rfc8785.ts';
import { startTestService, type TestBusiness, type TestService } from '../../../server/test/support/service.ts';
import { type Api, checkReceipt, type Message, Waybill, WaybillError } from '../src/index.ts';

let service: TestService;
let [acmeBusiness, globexBusiness] = [] as unknown as [TestBusiness, TestBusiness];
let [acme, globex] = [] as unknown as [Waybill, Waybill];

const clientOf = ({ secret }: TestBusiness) => new Waybill({ baseUrl: service.url, key: secret });

beforeAll(async () => {
  service = await startTestService();
  [acmeBusiness, globexBusiness] = [await service.business('acme'), await service.business('globex', { segment: 'orders' })];
  [acme, globex] = [clientOf(acmeBusiness), clientOf(globexBusiness)];
});
afterAll(() => service.stop());

async function refusalOf(promise: Promise<unknown>): Promise<WaybillError> {
  const error = await promise.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(WaybillError);
  return error as WaybillError;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('messages', () => {
  test('are sent, received and replied to', async () => {
    const sent = await acme.send({ to: 'globex/orders', type: 'order', subject: 'Order 4711', json: { total: 12 } });
    expect(sent).toMatchObject({ type: 'order', subject: 'Order 4711', to: { segment: 'orders', party: { handle: 'globex' } } });
    const received = await globex.message(sent.id);
    expect(received.json<{ total: number }>().total).toBe(12);
    const reply = await globex.reply(received, { note: 'It ships tomorrow.' });
    expect(reply).toMatchObject({ in_reply_to: sent.id, thread_id: sent.thread_id, to: { party: { handle: 'acme' } } });
    await globex.reply(received, { note: 'Yes.', acknowledge: { status: 'accepted', reason: 'In stock.' } });
    await expect.poll(() => acme.acknowledgements(sent)).toMatchObject([{ status: 'accepted', reason: 'In stock.' }]);
    expect(reply.jsonText).toBeNull();
    expect(reply.json()).toBeNull();
  });

  test('have an idempotency key of their own, or the one that is given', async () => {
    const [one, two] = [await acme.send({ to: 'globex' }), await acme.send({ to: 'globex' })];
    expect(one.id).not.toBe(two.id);
    expect(one.idempotency_key).toMatch(/^[\w-]{24}$/);
    const first = await acme.send({ to: 'globex', note: 'a' }, { idempotencyKey: 'order-1' });
    const again = await acme.send({ to: 'globex', note: 'a' }, { idempotencyKey: 'order-1' });
    expect([again.id, again.note]).toEqual([first.id, 'a']);
    expect([first.isReplayed, again.isReplayed, again.bodyDiffers]).toEqual([false, true, false]);
  });

  test('warn of a key that was used for another message', async () => {
    const warnings: string[] = [];
    const careful = new Waybill({ baseUrl: service.url, key: acmeBusiness.secret, onWarning: (warning) => warnings.push(warning) });
    const first = await careful.send({ to: 'globex', note: 'an order', files: [new Blob(['order'])] }, { idempotencyKey: 'twice' });
    // The same file is uploaded again, but the message is not sent twice.
    const same = await careful.send({ to: 'globex', note: 'an order', files: [new Blob(['order'])] }, { idempotencyKey: 'twice' });
    expect([same.id, same.bodyDiffers, warnings]).toEqual([first.id, false, []]);
    const again = await careful.send({ to: 'globex', note: 'an invoice', files: [new Blob(['invoice'])] }, { idempotencyKey: 'twice' });
    expect([again.id, again.isReplayed, again.bodyDiffers]).toEqual([first.id, true, true]);
    expect(warnings).toEqual([`Nothing was sent: the idempotency key twice was used for another message before, ${first.id}.`]);
  });

  test.each(hardJson)('carry %s byte for byte', async (_name, written) => {
    const sent = await acme.send({ to: 'globex', jsonText: written });
    expect(sent.jsonText).toBe(written);
    const [listed] = await globex.inbox({ limit: 1 }).take(1);
    const [inThread] = await collect(globex.thread(sent.thread_id));
    const single = await globex.message(sent.id);
    for (const message of [listed, inThread, single] as Message[]) {
      expect([message.id, message.jsonText]).toEqual([sent.id, written]);
      expect(message.json()).toEqual(JSON.parse(written));
      expect(checkReceipt(message, written)).toEqual({ content: 'matches', json: 'matches', jsonBytes: 'matches', hashedLater: [] });
    }
  });

  test('can be written as JSON again, and have nothing else in them', async () => {
    const sent = await acme.send({ to: 'globex', json: { a: 1 } });
    const { body } = await acmeBusiness.api.get(`/messages/${sent.id}`);
    expect(JSON.parse(JSON.stringify(sent))).toEqual({ ...body, promise: sent.promise });
    expect(Object.keys(sent).sort()).toEqual(
      Object.keys(body)
        .filter((key) => key !== 'json')
        .sort(),
    );
    expect(JSON.parse(sent.envelopeText)).toEqual({ ...body, promise: sent.promise });
  });

  test('refuse text that is not JSON before anything is sent', async () => {
    const before = (await acme.outbox({ include: 'summary', limit: 1 }).page()).data[0]?.id;
    await expect(acme.send({ to: 'globex', jsonText: '1,"note":"smuggled"' })).rejects.toThrow(SyntaxError);
    await expect(acme.send({ to: 'globex', json: 1, jsonText: '1' })).rejects.toThrow(TypeError);
    expect((await acme.outbox({ include: 'summary', limit: 1 }).page()).data[0]?.id).toBe(before);
  });
});

describe('lists', () => {
  let ids: string[];
  beforeAll(async () => {
    ids = [];
    for (let i = 0; i < 7; i++) ids.unshift((await acme.send({ to: 'globex', type: 'listed', json: { i } })).id);
  });

  test('are read across pages, item by item', async () => {
    expect((await collect(globex.inbox({ type: 'listed', limit: 3 }))).map(({ id }) => id)).toEqual(ids);
    expect((await collect(acme.outbox({ type: 'listed', limit: 2 }))).map(({ id }) => id)).toEqual(ids);
  });

  test('are read page by page, and from a cursor', async () => {
    const pages = await collect(globex.inbox({ type: 'listed', limit: 3 }).pages());
    expect(pages.map(({ data }) => data.length)).toEqual([3, 3, 1]);
    const rest = globex.inbox({ type: 'listed', limit: 3, cursor: pages[0]?.next_cursor ?? '' });
    expect((await collect(rest)).map(({ id }) => id)).toEqual(ids.slice(3));
  });

  test('are read as far as wanted', async () => {
    let requests = 0;
    const counting = new Waybill({
      baseUrl: service.url,
      key: globexBusiness.secret,
      fetch: (url, init) => {
        requests++;
        return fetch(url, init);
      },
    });
    expect(await counting.inbox({ type: 'listed', limit: 2 }).take(2)).toHaveLength(2);
    expect(requests).toBe(1);
    expect(await counting.inbox({ type: 'listed' }).take(0)).toEqual([]);
  });

  test('leave JSON out when asked to', async () => {
    const [summary] = await globex.inbox({ type: 'listed', include: 'summary' }).take(1);
    expect(summary?.json_bytes).toBe('{"i":6}'.length);
  });
});

describe('threads', () => {
  test('are listed, worked on and commented', async () => {
    const { thread_id } = await acme.send({ to: 'globex', subject: 'Help', type: 'question' });
    await expect.poll(async () => (await globex.threads({ type: 'question' }).take(1)).map(({ id }) => id)).toEqual([thread_id]);
    expect(await globex.assign(thread_id, 'me')).toMatchObject({ assignee: { id: globexBusiness.agentId } });
    const comment = await globex.comment(thread_id, { text: 'I take it.', mentions: [globexBusiness.agentId] });
    expect(await collect(globex.comments(thread_id))).toEqual([comment]);
    expect(await globex.changeThread(thread_id, { status: 'done', add_labels: ['urgent'] })).toMatchObject({
      status: 'done',
      labels: ['urgent'],
    });
    const page = await globex.thread(thread_id).page();
    expect(page).toMatchObject({ thread_id, hidden: 0, state: { status: 'done' } });
    expect(page.data[0]?.subject).toBe('Help');
    expect((await globex.assignees()).map(({ id }) => id)).toContain(globexBusiness.agentId);
    expect(await globex.assign(thread_id, null)).toMatchObject({ assignee: null });
  });
});

describe('more of the API', () => {
  test('who the key is, and who else is there', async () => {
    expect(await acme.me()).toMatchObject({ business: { handle: 'acme' }, key: { scope: 'read_write' } });
    expect(await collect(acme.handles('glob'))).toMatchObject([{ handle: 'globex' }]);
  });

  test('search', async () => {
    const { id } = await acme.send({ to: 'globex', subject: 'Zwieback delivery' });
    const found = async () => (await globex.search('zwieback').page()).data.map(({ message }) => message.id);
    await expect.poll(found, { timeout: 60_000 }).toEqual([id]);
  });

  test('proofs of a message and of its receipt, once the log has them', async () => {
    const sent = await acme.send({ to: 'globex', jsonText: '{"total": 1.0}' });
    const anonymous = new Waybill({ baseUrl: service.url });
    const [proof, bundle, text] = await Promise.all([
      globex.proof(sent.id),
      globex.proof(sent.id, { contents: false }),
      anonymous.receiptProof(sent.receipt_url),
    ]);
    expect(JSON.parse(proof)).toMatchObject({ format: 'waybill-proof/1', json: '{"total": 1.0}' });
    expect(JSON.parse(bundle)).not.toHaveProperty('json');
    expect(text).toMatch(/^c2sp\.org\/tlog-proof@v1\nindex \d+\n/);
    expect(JSON.parse(await anonymous.receiptProof(sent.receipt_url, { format: 'bundle' })).envelope).toContain(sent.id);
    expect((await refusalOf(acme.proof('msg_00000000000000000000000000'))).code).toBe('not_found');
    expect(() => anonymous.receiptProof('https://example.com/')).toThrow(/rcpt_/);
  });

  test('receipts, by token and URL, whose hashes are recomputed', async () => {
    const sent = await acme.send({ to: 'globex', json: { big: 1 }, note: 'für 日本' });
    const anonymous = new Waybill({ baseUrl: service.url });
    const receipt = await anonymous.receipt(sent.receipt_url);
    expect(receipt.id).toBe(sent.id);
    expect(checkReceipt(receipt, ' {"big":1}\n')).toEqual({ content: 'matches', json: 'matches', jsonBytes: 'matches', hashedLater: [] });
    expect(checkReceipt(receipt, '{ "big": 1.0 }')).toMatchObject({ content: 'matches', json: 'matches', jsonBytes: 'differs' });
    expect(checkReceipt(receipt, '{"big":0,"big":1}')).toMatchObject({ json: 'matches', jsonBytes: 'differs' });
    expect(checkReceipt(receipt, '{"big":2}')).toMatchObject({ json: 'differs', jsonBytes: 'differs' });
    expect(checkReceipt({ ...receipt, json_bytes_sha256: `sha256:${'0'.repeat(64)}` }).content).toBe('differs');
    // A receipt that somebody saved before json_bytes_sha256 was recorded.
    const { json_bytes_sha256: _, ...older } = receipt as Api.Receipt;
    const saved = { ...older, content_hash: contentHashOf({ ...older, json_bytes_sha256: null }) } as Api.Receipt;
    expect(checkReceipt(saved, '{"big":1}')).toMatchObject({ content: 'matches', json: 'matches', jsonBytes: 'unknown' });
    expect(checkReceipt({ ...receipt, note: 'another' }).content).toBe('differs');
    expect(() => anonymous.receipt('https://example.com/')).toThrow(/rcpt_/);
  });

  test('schemas', async () => {
    const schema = { properties: { quantity: { minimum: 1 } } };
    expect(await acme.checkSchema({ schema, json: { quantity: 0 } })).toMatchObject({
      schema: { valid: true },
      validation: { status: 'failed' },
    });
    expect(await acme.checkFor('globex', { quantity: 0 })).toMatchObject({ validation: { status: 'not_applicable' } });
  });

  test('exports, as they come', async () => {
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of globex.export({ list: 'inbox', type: 'listed' })) text += decoder.decode(bytes, { stream: true });
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toEqual(Array(7).fill('listed'));
  });

  test('requests that have no method of their own', async () => {
    const { id } = await acme.request('POST /v1/contacts', { body: { handle: 'globex', label: 'Our supplier' } });
    const path = { id: String(id) };
    expect(await acme.request('GET /v1/contacts/{id}', { path })).toMatchObject({ label: 'Our supplier' });
    const block = await acme.request('POST /v1/blocks', { body: { handle: 'globex' } });
    expect(await acme.request('DELETE /v1/blocks/{id}', { path: { id: block.id } })).toBeUndefined();
  });
});

describe('errors', () => {
  test('have code, status, request id and details', async () => {
    const unknown = await refusalOf(acme.send({ to: 'nobody-has-this' }));
    expect(unknown).toMatchObject({ name: 'WaybillError', code: 'unknown_recipient', status: 404, isTemporary: false });
    expect(unknown.requestId).toMatch(/^req_/);
    const invalid = await refusalOf(acme.send({ to: 'globex', type: 'x'.repeat(5_000) }));
    expect([invalid.code, invalid.field('type'), invalid.field('/to')]).toEqual([
      'validation_error',
      invalid.details[0]?.message,
      undefined,
    ]);
    expect(await refusalOf(new Waybill({ baseUrl: service.url, key: 'wb_wrong' }).me())).toMatchObject({
      code: 'unauthorized',
      status: 401,
    });
  });

  test('say when something else than Waybill responds', async () => {
    const html = async () => new Response('<h1>Bad gateway</h1>', { status: 400 });
    const error = await refusalOf(new Waybill({ baseUrl: 'http://proxy.example', fetch: html }).me());
    expect(error).toMatchObject({ code: 'unexpected_response', status: 400 });
    const page = async () => new Response('<h1>Please sign in</h1>', { headers: { 'content-type': 'text/html' } });
    expect(await refusalOf(new Waybill({ baseUrl: 'http://proxy.example', fetch: page }).me())).toMatchObject({
      code: 'unexpected_response',
    });
  });

  test('of an address that is none come at once', () => {
    expect(() => new Waybill({ baseUrl: 'waybill.example' })).toThrow(TypeError);
  });
});
