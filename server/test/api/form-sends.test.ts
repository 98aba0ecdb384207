import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiResponse } from '../support/api.ts';
import { type FormPart, formBody, sendForm, sendFormData, typeOfForm } from '../support/form.ts';
import { download, type FormService, sha256Of, startFormService } from '../support/form-service.ts';
import { hardJson } from '../support/hard-json.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { contentHashOf, sha256OfCanonical } from '../support/rfc8785.ts';
import type { TestBusiness } from '../support/service.ts';

const MB = 1_048_576;

let service: FormService;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startFormService();
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(() => service.stop());

const TO: FormPart = { name: 'to', bytes: 'globex' };
const send = (...parts: FormPart[]) => sendForm(acme.api, [TO, ...parts]);

/** Reads the message in every place that returns it. */
async function readings({ body: { id, thread_id } }: ApiResponse): Promise<ApiResponse[]> {
  return Promise.all([
    acme.api.get(`/messages/${id}`),
    globex.api.get(`/messages/${id}`),
    globex.api.get(`/inbox?thread=${thread_id}`),
    acme.api.get(`/outbox?thread=${thread_id}`),
    globex.api.get(`/threads/${thread_id}`),
  ]);
}

describe('the fields of a form', () => {
  test('are those of a JSON body, and mean the same', async () => {
    const fields = { to: 'Globex/orders', type: 'order', subject: 'Größe „XL“ 😀', note: 'two\r\nlines', json: '{"n": 1.0}' };
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const asForm = await sendFormData(acme.api, form);
    const asJson = await acme.api.send(
      `{"to":"Globex/orders","type":"order","subject":"Größe „XL“ 😀","note":"two\\r\\nlines","json":{"n": 1.0}}`,
    );
    expect([asForm.status, asJson.status]).toEqual([201, 201]);
    const own = ['id', 'thread_id', 'received_at', 'content_hash', 'receipt_url', 'promise'];
    const shared = ({ body }: ApiResponse) => Object.entries(body).filter(([name]) => !own.includes(name));
    expect(shared(asForm)).toEqual(shared(asJson));
    expect(asForm.text).toContain('"json":{"n": 1.0},"');
    expect((await globex.api.get(`/inbox?to=orders&thread=${asForm.body.thread_id}`)).body.data).toHaveLength(1);
  });

  test('are all optional but to', async () => {
    const sent = await send();
    expect(sent.body).toMatchObject({ type: null, subject: null, note: null, json: null, json_sha256: null, in_reply_to: null, files: [] });
  });

  test('may come in any order, and after files', async () => {
    const sent = await sendForm(acme.api, [
      { name: 'json', bytes: '[]' },
      { filename: 'a' },
      { name: 'type', bytes: 't' },
      { filename: 'b' },
      TO,
    ]);
    expect(sent.body).toMatchObject({
      type: 't',
      json: [],
      to: { party: { handle: 'globex' } },
      files: [{ filename: 'a' }, { filename: 'b' }],
    });
  });

  test.each([
    ['type', 80],
    ['subject', 200],
    ['note', 10_000],
  ])('%s may have %i characters, each of four bytes, and no more', async (name, max) => {
    const sent = await send({ name, bytes: '😀'.repeat(max) });
    expect(sent.body[name]).toBe('😀'.repeat(max));
    expectInvalid(await send({ name, bytes: '😀'.repeat(max + 1) }), name);
    expectInvalid(await send({ name, bytes: '😀'.repeat(50_000) }), name);
  });

  test('in_reply_to makes it a reply, with files', async () => {
    const { body: parent } = await send({ filename: 'question.txt', bytes: '?' });
    const sent = await sendForm(globex.api, [
      { name: 'in_reply_to', bytes: parent.id },
      { filename: 'reply.txt', bytes: '!' },
    ]);
    expect(sent.body).toMatchObject({ thread_id: parent.thread_id, in_reply_to: parent.id, to: { party: { handle: 'acme' } } });
    const thread = (await acme.api.get(`/threads/${parent.thread_id}`)).body.data;
    expect(thread.map((message: { files: { filename: string }[] }) => message.files[0]?.filename)).toEqual(['question.txt', 'reply.txt']);
    expect((await download(thread[1].files[0].download_url)).toString()).toBe('!');
  });
});

describe('the field json comes back byte for byte', () => {
  test.each(hardJson)('%s', async (_, written) => {
    const sent = await send({ name: 'json', bytes: written });
    expect(sent.status, sent.text).toBe(201);
    expect(sent.body.json_sha256).toBe(sha256OfCanonical(JSON.parse(written)));
    for (const { text } of [sent, ...(await readings(sent))]) expect(text.includes(`"json":${written},"`)).toBe(true);
  });

  test('and whitespace around the value is not part of it', async () => {
    expect((await send({ name: 'json', bytes: '\r\n\t [ 1 ] \n' })).text).toContain('"json":[ 1 ],"');
  });

  test('up to 1 MB, and one byte more gives json_too_large', async () => {
    const ofBytes = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;
    expect((await send({ name: 'json', bytes: ofBytes(MB) })).text.includes(`"json":${ofBytes(MB)},"`)).toBe(true);
    for (const bytes of [MB + 1, 2 * MB, 20 * MB]) expectRefusal(await send({ name: 'json', bytes: ofBytes(bytes) }), 'json_too_large');
  });
});

describe('the files of a form', () => {
  test.each([1, 2, 7, 100])(
    'may be %i: each is in the envelope, in order, with its size and hash, and can be fetched by both parties',
    async (count) => {
      const contents = Array.from({ length: count }, (_, i) => randomBytes(i * 37));
      const form = new FormData();
      form.append('to', 'globex');
      for (const [i, bytes] of contents.entries()) form.append('file', new Blob([bytes], { type: 'image/png' }), `file ${i}.png`);
      const sent = await sendFormData(acme.api, form);
      expect(sent.status, sent.text).toBe(201);
      const expected = contents.map((bytes, i) => ({
        id: expect.stringMatching(/^file_[0-9a-hjkmnp-tv-z]{26}$/),
        filename: `file ${i}.png`,
        content_type: 'image/png',
        size_bytes: bytes.length,
        sha256: sha256Of(bytes),
        download_url: expect.stringContaining('://'),
      }));
      for (const { body } of [sent, ...(await readings(sent))]) expect((body.data?.[0] ?? body).files).toEqual(expected);
      const { body: received } = await globex.api.get(`/messages/${sent.body.id}`);
      for (const [i, { download_url }] of received.files.entries())
        expect((await download(download_url)).equals(contents[i] as Buffer)).toBe(true);
      expect((await download(sent.body.files.at(-1).download_url)).equals(contents.at(-1) as Buffer)).toBe(true);
    },
  );

  test('are covered by content_hash', async () => {
    const { body } = await send(
      { filename: 'a.txt', type: 'text/plain', bytes: 'a' },
      { filename: '\u202e"', bytes: '' },
      { name: 'type', bytes: 't' },
    );
    const files = body.files.map(({ download_url: _, ...file }: Record<string, unknown>) => file);
    expect(body.content_hash).toBe(contentHashOf(body, files));
  });

  test('are on the public receipt, but not where to fetch them', async () => {
    const { body } = await send({ filename: 'a.txt', bytes: 'a' });
    const receipt = await service.anonymous.get(`/receipts/${body.receipt_url.split('/').at(-1)}`);
    const { download_url: _, ...shown } = body.files[0];
    expect(receipt.body.files).toEqual([shown]);
    expect(receipt.text).not.toContain('/objects/');
  });

  test('may have any name that no text field has', async () => {
    const names = ['files', 'whatever', '', '__proto__'];
    const sent = await send(...names.map((name) => ({ name, filename: `${name}.txt`, bytes: name })));
    expect(sent.body.note).toBe(null);
    expect(sent.body.files.map(({ filename }: { filename: string }) => filename)).toEqual(names.map((name) => `${name}.txt`));
  });

  test('may have 25 MB each, to the byte, and one byte more gives file_too_large', async () => {
    const full = randomBytes(25 * MB);
    const sent = await send({ filename: 'a', bytes: full }, { filename: 'b', bytes: full });
    expect(sent.status, sent.text).toBe(201);
    expect(sent.body.files.map((file: object) => file)).toMatchObject([1, 2].map(() => ({ size_bytes: 25 * MB, sha256: sha256Of(full) })));
    expect((await download(sent.body.files[1].download_url)).equals(full)).toBe(true);
    const before = await service.traces();
    expectRefusal(await send({ filename: 'a', bytes: Buffer.concat([full, Buffer.of(0)]) }), 'file_too_large');
    expectRefusal(await send({ filename: 'a', bytes: 'x' }, { filename: 'b', bytes: Buffer.alloc(40 * MB) }), 'file_too_large');
    expect(await service.traces()).toEqual(before);
  });

  test('may hold what looks like a form', async () => {
    const inner = formBody(
      [
        { name: 'to', bytes: 'acme' },
        { filename: 'x', bytes: 'y' },
      ],
      'inner',
    );
    const sent = await send({ filename: 'nested', type: 'multipart/form-data; boundary=inner', bytes: inner });
    expect(sent.body.to.party.handle).toBe('globex');
    expect((await download(sent.body.files[0].download_url)).equals(inner)).toBe(true);
  });

  test('may come in a chunked body', async () => {
    const body = formBody([TO, { filename: 'a', bytes: 'x'.repeat(300_000) }]);
    const chunked = new ReadableStream({
      pull: (controller) => {
        for (let at = 0; at < body.length; at += 10_007) controller.enqueue(body.subarray(at, at + 10_007));
        controller.close();
      },
    });
    const headers = { authorization: `Bearer ${acme.secret}`, ...typeOfForm() };
    const response = await fetch(`${service.url}/v1/messages`, { method: 'POST', headers, body: chunked, duplex: 'half' });
    expect(response.status).toBe(201);
    expect(JSON.parse(await response.text()).files).toMatchObject([{ size_bytes: 300_000, sha256: sha256Of('x'.repeat(300_000)) }]);
  });
});
