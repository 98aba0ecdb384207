import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatId, newUuid, parseId } from '../../src/contract/ids.ts';
import type { Api, ApiResponse } from '../support/api.ts';
import { type FileService, places, startFileService } from '../support/file-service.ts';
import { signInWithCode } from '../support/people.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { contentHashOf } from '../support/rfc8785.ts';
import type { TestBusiness } from '../support/service.ts';
import { tracesOfSends } from '../support/traces.ts';
import { announce, download, put, sha256Of, someBytes, upload } from '../support/transfer.ts';

// biome-ignore lint/suspicious/noExplicitAny: envelopes and files as they came
type Json = any;

/** Download URLs are signed again on each read. */
function withoutUrls(envelope: Json): Json {
  return { ...envelope, files: envelope.files.map(({ download_url: _, ...file }: Json) => file) };
}

describe.each(places)('a message with uploads, with files in a %s', (place) => {
  let service: FileService;
  let acme: TestBusiness;
  let globex: TestBusiness;
  let initech: TestBusiness;

  beforeAll(async () => {
    service = await startFileService(place);
    [acme, globex, initech] = await Promise.all([service.business('acme'), service.business('globex'), service.business('initech')]);
  });
  afterAll(() => service.stop());

  const send = (files: unknown, more: object = {}, headers: Record<string, string> = {}) =>
    acme.api.send({ to: 'globex', files, ...more }, headers);

  async function sent(files: string[], more: object = {}): Promise<Json> {
    const response = await send(files, more);
    expect(response.status, response.text).toBe(201);
    return response.body;
  }

  const one = async (api: Api, path: string, id: string) => (await api.get(path)).body.data.find((item: Json) => item.id === id);

  async function tracesOfFiles(): Promise<unknown> {
    const rows = await service.sql('SELECT (SELECT count(*) FROM files) AS files, (SELECT count(*) FROM objects) AS objects');
    return { ...(await tracesOfSends(service)), ...rows[0] };
  }

  /** Expects a refusal that writes and counts nothing. */
  async function expectNothingLeft(refused: () => Promise<ApiResponse>, code: Parameters<typeof expectRefusal>[1]): Promise<void> {
    const before = await tracesOfFiles();
    expectRefusal(await refused(), code);
    expect(await tracesOfFiles()).toEqual(before);
  }

  describe('carries each as a file', () => {
    test('with its id, name, type, size, hash and a URL, and nothing else', async () => {
      const bytes = someBytes(1_234);
      const { files } = await sent([await upload(acme.api, bytes, { filename: 'ünï 報告.pdf', content_type: 'application/pdf' })]);
      expect(files).toEqual([
        {
          id: expect.stringMatching(/^file_[0-9a-hjkmnp-tv-z]{26}$/),
          filename: 'ünï 報告.pdf',
          content_type: 'application/pdf',
          size_bytes: 1_234,
          sha256: sha256Of(bytes),
          download_url: expect.stringMatching(/^http:/),
        },
      ]);
      expect((await download(files[0].download_url)).bytes.equals(bytes)).toBe(true);
    });

    test('with the hash of nothing when it is empty', async () => {
      const { files } = await sent([await upload(acme.api, '')]);
      expect([files[0].size_bytes, files[0].sha256]).toEqual([0, sha256Of(Buffer.alloc(0))]);
    });

    test('in the order in which they were given', async () => {
      const names = ['c', 'a', 'b', 'a'];
      const ids = await Promise.all(names.map((filename) => upload(acme.api, filename, { filename })));
      const message = await sent(ids);
      expect(message.files.map(({ filename }: Json) => filename)).toEqual(names);
      const read = (await globex.api.get(`/messages/${message.id}`)).body;
      expect(read.files.map(({ id }: Json) => id)).toEqual(message.files.map(({ id }: Json) => id));
    });

    test('in a content_hash that anybody can compute', async () => {
      const ids = [await upload(acme.api, 'one', { filename: '"\u{1f9fe}\n' }), await upload(acme.api, 'two')];
      const message = await sent(ids, { type: 't', subject: 's', note: 'n', json: { a: 1 } });
      expect(message.content_hash).toBe(contentHashOf(message, withoutUrls(message).files));
      const { files: _, ...rest } = message;
      expect(message.content_hash).not.toBe(contentHashOf(rest));
    });

    test('up to 100 of them', async () => {
      const ids = await Promise.all(Array.from({ length: 100 }, (_, i) => upload(acme.api, String(i))));
      const { files } = await sent(ids);
      expect(files).toHaveLength(100);
      expect(files[99].sha256).toBe(sha256Of(Buffer.from('99')));
    });

    test('none when the list is empty', async () => {
      expect((await sent([])).files).toEqual([]);
    });
  });

  describe('can be looked at by its upload', () => {
    const show = async (id: string, api = acme.api) => api.get(`/uploads/${id}`);

    test('from the announcement to the message', async () => {
      const ticket = await announce(acme.api, { filename: 'a.txt', content_type: 'text/plain', size_bytes: 5 });
      const { upload_id } = ticket;
      const shown = await show(upload_id);
      expect([shown.status, shown.body]).toEqual([
        200,
        {
          upload_id,
          filename: 'a.txt',
          content_type: 'text/plain',
          size_bytes: 5,
          state: 'announced',
          complete: false,
          expires_at: new Date(Date.parse(ticket.expires_at) + 23 * 3_600_000).toISOString(),
        },
      ]);
      await put(ticket, 'hello');
      expect((await show(upload_id)).body).toMatchObject({ state: 'uploaded', complete: true });
      await sent([upload_id]);
      expect((await show(upload_id)).body).toMatchObject({ state: 'sealed', complete: true });
    });

    test('by its owner alone, and while it is good', async () => {
      const id = await upload(acme.api, 'hello');
      for (const response of [await show(id, globex.api), await show(formatId('upl', newUuid())), await show('upl_x')])
        expectRefusal(response, 'upload_not_found');
      await service.sql("UPDATE uploads SET expires_at = now() - interval '1 second' WHERE id = $1", [parseId('upl', id)]);
      expectRefusal(await show(id), 'upload_not_found');
    });

    test('by a person without a handle', async () => {
      const ann = await signInWithCode(service, 'ann@gmail.com');
      const { body } = await ann.post('/v1/drops/uploads', { filename: 'a', content_type: 'a/b', size_bytes: 5 });
      expect((await ann.get(`/v1/drops/uploads/${body.upload_id}`)).body).toMatchObject({ state: 'announced', size_bytes: 5 });
      await put(body, 'hello');
      expect((await ann.get(`/v1/drops/uploads/${body.upload_id}`)).body).toMatchObject({ state: 'uploaded', complete: true });
      expectRefusal(await show(body.upload_id), 'upload_not_found');
    });
  });

  describe('is the same for both parties', () => {
    test('wherever it is read, with URLs that lead to the bytes', async () => {
      const bytes = someBytes(5_000);
      const message = await sent([await upload(acme.api, bytes)]);
      const reads: Json[] = [
        await one(globex.api, '/inbox', message.id),
        await one(acme.api, '/outbox', message.id),
        (await acme.api.get(`/messages/${message.id}`)).body,
        (await globex.api.get(`/messages/${message.id}`)).body,
        await one(acme.api, `/threads/${message.thread_id}`, message.id),
        await one(globex.api, `/threads/${message.thread_id}`, message.id),
      ];
      for (const read of reads) {
        expect(withoutUrls(read)).toEqual(withoutUrls(message));
        expect((await download(read.files[0].download_url)).bytes.equals(bytes)).toBe(true);
      }
    });

    test('and on the public receipt, without a way to the bytes', async () => {
      const message = await sent([await upload(acme.api, 'hello')]);
      const receipt = await service.anonymous.get(`/receipts/${message.receipt_url.split('/r/')[1]}`);
      const { json: _, ...envelope } = withoutUrls(message);
      expect(receipt.body).toEqual(envelope);
      expect(receipt.text).not.toMatch(/download_url|signature|objects/i);
    });

    test('when it is a reply, which may carry the replier’s uploads', async () => {
      const parent = await sent([]);
      const { status, body } = await globex.api.send({ in_reply_to: parent.id, files: [await upload(globex.api, 'reply')] });
      expect(status).toBe(201);
      const [, reply] = (await acme.api.get(`/threads/${parent.thread_id}`)).body.data;
      expect(withoutUrls(reply)).toEqual(withoutUrls(body));
      expect((await download(reply.files[0].download_url)).bytes.toString()).toBe('reply');
    });

    test('when both are one', async () => {
      const { status, body } = await acme.api.send({ to: 'acme', files: [await upload(acme.api, 'note to self')] });
      expect(status).toBe(201);
      for (const path of ['/inbox', '/outbox']) expect(withoutUrls(await one(acme.api, path, body.id))).toEqual(withoutUrls(body));
    });

    test('when it is sent again with its idempotency key, which makes no second file', async () => {
      const [id, headers] = [await upload(acme.api, 'hello'), { 'idempotency-key': `with-a-file-${place}` }];
      const { body } = await send([id], {}, headers);
      const before = await tracesOfFiles();
      const repeat = await send([id], {}, headers);
      expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(withoutUrls(repeat.body)).toEqual(withoutUrls(body));
      expect((await download(repeat.body.files[0].download_url)).bytes.toString()).toBe('hello');
      expect(await tracesOfFiles()).toEqual(before);
    });
  });

  describe('may share an upload with others', () => {
    test('each having a file of its own with the same bytes', async () => {
      const id = await upload(acme.api, 'shared');
      const [first, second] = [await sent([id]), (await acme.api.send({ to: 'initech', files: [id] })).body];
      expect(second.files[0].id).not.toBe(first.files[0].id);
      expect(second.files[0].sha256).toBe(first.files[0].sha256);
      expect((await download(second.files[0].download_url)).bytes.toString()).toBe('shared');
      expectRefusal(await initech.api.get(`/files/${first.files[0].id}`), 'not_found');
    });

    test('that are sent at the same moment', async () => {
      const id = await upload(acme.api, 'shared');
      const responses = await Promise.all(Array.from({ length: 30 }, () => send([id])));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(responses.map(({ body }) => body.files[0].id)).size).toBe(30);
      expect(new Set(responses.map(({ body }) => body.files[0].sha256))).toEqual(new Set([sha256Of(Buffer.from('shared'))]));
    });

    test('but not have it twice', async () => {
      const id = await upload(acme.api, 'hello');
      await expectNothingLeft(() => send([id, id]), 'validation_error');
      expectInvalid(await send([id, await upload(acme.api, 'other'), id]), 'files');
    });
  });

  describe('is refused', () => {
    test('with more than 100 files', async () => {
      const ids = Array.from({ length: 101 }, () => formatId('upl', newUuid()));
      await expectNothingLeft(() => send(ids), 'validation_error');
      expectInvalid(await send(ids), 'files');
    });

    test.each([
      ['null', null],
      ['a text', 'upl_x'],
      ['an object', { id: 'upl_x' }],
      ['a list in the list', [['upl_x']]],
      ['a number in it', [7]],
    ])('with %s for files', async (_name, files) => {
      expectRefusal(await send(files), 'validation_error');
    });

    test.each([
      ['that is unknown', () => formatId('upl', newUuid())],
      ['that is empty', () => ''],
      ['of another kind', () => formatId('file', newUuid())],
      ['without a prefix', () => newUuid()],
      ['with quotes in it', () => "upl_' OR true --"],
      ['with NUL in it', () => 'upl_\0'],
      ['with half a surrogate pair in it', () => 'upl_\ud83d'],
    ])('as upload_not_found with an id %s', async (_name, id) => {
      await expectNothingLeft(() => send([id()]), 'upload_not_found');
    });

    test('as upload_not_found with an id in other letters', async () => {
      const id = await upload(acme.api, 'hello');
      expectRefusal(await send([id.toUpperCase()]), 'upload_not_found');
      expectRefusal(await send([`${id} `]), 'upload_not_found');
    });

    test('as upload_not_found with another business’s upload, just as with one that does not exist', async () => {
      const foreign = await upload(initech.api, 'hello');
      const unknown = formatId('upl', newUuid());
      const [a, b] = [await send([foreign]), await send([unknown])];
      expectRefusal(a, 'upload_not_found');
      expectRefusal(b, 'upload_not_found');
      expect(a.body.error.message.replace(foreign, '')).toBe(b.body.error.message.replace(unknown, ''));
      expect((await initech.api.send({ to: 'globex', files: [foreign] })).status).toBe(201);
    });

    test('as upload_not_found once its day is over, and not before', async () => {
      const id = await upload(acme.api, 'hello');
      const expire = (interval: string) =>
        service.sql('UPDATE uploads SET expires_at = now() + $2::interval WHERE id = $1', [parseId('upl', id), interval]);
      await expire('1 minute');
      const { files } = await sent([id]);
      await expire('-1 second');
      await expectNothingLeft(() => send([id]), 'upload_not_found');
      expect((await download(files[0].download_url)).bytes.toString()).toBe('hello');
    });

    test('as upload_incomplete when the bytes were never PUT, and goes through once they are', async () => {
      const ticket = await announce(acme.api);
      await expectNothingLeft(() => send([ticket.upload_id]), 'upload_incomplete');
      expect((await send([ticket.upload_id])).body.error.message).toContain(ticket.upload_id);
      await put(ticket, 'hello');
      expect((await send([ticket.upload_id])).status).toBe(201);
    });

    test('as a whole when only one of its uploads is missing', async () => {
      const [whole, missing] = [await upload(acme.api, 'hello'), await announce(acme.api)];
      await expectNothingLeft(() => send([whole, missing.upload_id]), 'upload_incomplete');
      await expectNothingLeft(() => send([whole, formatId('upl', newUuid())]), 'upload_not_found');
      expect((await send([whole])).status).toBe(201);
    });

    test('for its shape first, then for its recipient, then for its uploads', async () => {
      const files = [formatId('upl', newUuid())];
      expectRefusal(await send(files, { to: 'nobody', josn: 1 }), 'validation_error');
      expectRefusal(await send(files, { to: 'nobody' }), 'unknown_recipient');
      expectRefusal(await acme.api.send({ in_reply_to: formatId('msg', newUuid()), files }), 'not_found');
      expectRefusal(await send(files), 'upload_not_found');
    });

    test('for a quota only after its uploads were found', async () => {
      const limited = await service.sibling({ MONTHLY_MESSAGE_LIMIT: '1' });
      try {
        const sender = await service.business(`limited-${place}`);
        const api = sender.api.at(limited.url);
        const id = await upload(api, 'hello');
        expect((await api.send({ to: 'globex' })).status).toBe(201);
        expectRefusal(await api.send({ to: 'globex', files: [formatId('upl', newUuid())] }), 'upload_not_found');
        await expectNothingLeft(() => api.send({ to: 'globex', files: [id] }), 'quota_exceeded');
        // The upload can still be sent to another recipient.
        expect((await sender.api.send({ to: 'globex', files: [id] })).status).toBe(201);
      } finally {
        await limited.stop();
      }
    });
  });
});
