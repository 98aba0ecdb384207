import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { GB } from '../../src/contract/limits.ts';
import type { Api, ApiResponse } from '../support/api.ts';
import { type FileService, places, startFileService } from '../support/file-service.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';
import { type Announced, announce, announcement, upload } from '../support/transfer.ts';

const HOUR_MS = 3_600_000;
const DAY_LIMIT_BYTES = 1_000;

describe.each(places)('POST /uploads, with files in a %s', (place) => {
  let service: FileService;
  let acme: TestBusiness;
  let made = 0;

  beforeAll(async () => {
    service = await startFileService(place, { DAILY_UPLOAD_LIMIT_BYTES: '0' });
    acme = await service.business('acme');
    await service.business('globex');
  });
  afterAll(() => service.stop());

  const post = (body: unknown, api: Api = acme.api) => api.write('POST', '/uploads', body);
  const fresh = () => service.business(`business-${++made}`);
  const databaseNow = async () => (await service.sql<{ now: Date }>('SELECT now()'))[0]?.now.getTime() as number;

  describe('the response', () => {
    test('is an upload with all that the PUT needs, and nothing else', async () => {
      const { status, headers, body } = await post(announcement());
      expect(status).toBe(201);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(Object.keys(body).sort()).toEqual(['expires_at', 'headers', 'method', 'upload_id', 'upload_url']);
      expect(body.upload_id).toMatch(/^upl_[0-9a-hjkmnp-tv-z]{26}$/);
      expect(body.method).toBe('PUT');
      expect(body.headers['Content-Type']).toBe('application/pdf');
      expect(body.expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });

    test('leads straight to where the bytes are kept', async () => {
      const { upload_url } = await announce(acme.api);
      if (place === 'folder') expect(upload_url).toContain(`${service.url}/objects/`);
      else expect(new URL(upload_url).origin).not.toBe(service.url);
    });

    test('gives the PUT an hour by the database’s clock, and the upload_id a day', async () => {
      const before = await databaseNow();
      const { upload_id, expires_at } = await announce(acme.api);
      const after = await databaseNow();
      expect(Date.parse(expires_at)).toBeGreaterThanOrEqual(before + HOUR_MS);
      expect(Date.parse(expires_at)).toBeLessThanOrEqual(after + HOUR_MS);
      const [row] = await service.sql<{ usable: Date }>('SELECT expires_at AS usable FROM uploads WHERE id = $1', [
        parseId('upl', upload_id),
      ]);
      expect(row?.usable.getTime()).toBe(Date.parse(expires_at) + 23 * HOUR_MS);
    });

    test('is another one each time, though the same was asked', async () => {
      const tickets = await Promise.all(Array.from({ length: 20 }, () => announce(acme.api)));
      expect(new Set(tickets.map(({ upload_id }) => upload_id)).size).toBe(20);
      expect(new Set(tickets.map(({ upload_url }) => upload_url)).size).toBe(20);
    });

    test('leaves nothing where the bytes are kept', async () => {
      const before = await service.kept();
      await announce(acme.api);
      expect(await service.kept()).toEqual(before);
    });
  });

  describe('the body', () => {
    test.each<[string, Announced]>([
      ['no bytes at all', { size_bytes: 0 }],
      ['a single byte', { size_bytes: 1 }],
      ['as much as fits into a form', { size_bytes: 25 * 1024 ** 2 }],
      ['exactly 5 GB', { size_bytes: 5 * GB }],
      ['an empty filename', { filename: '' }],
      ['a filename that is a path', { filename: '../../etc/passwd' }],
      ['a filename of 4,096 characters outside the BMP', { filename: '😀'.repeat(4_096) }],
      ['a content type with a parameter', { content_type: 'text/plain; charset=utf-8' }],
      ['a content type of 255 characters', { content_type: `text/${'x'.repeat(250)}` }],
    ])('may announce %s', async (_name, fields) => {
      expect((await announce(acme.api, fields)).upload_id).toMatch(/^upl_/);
    });

    test.each([5 * GB + 1, 50 * GB, Number.MAX_SAFE_INTEGER, 1e300])('is file_too_large with %d bytes', async (size_bytes) => {
      expectRefusal(await post(announcement({ size_bytes })), 'file_too_large');
    });

    const without = (field: string) => Object.fromEntries(Object.entries(announcement()).filter(([name]) => name !== field));
    test.each<[string, string, unknown]>([
      ['no filename', 'filename', without('filename')],
      ['no content type', 'content_type', without('content_type')],
      ['no size', 'size_bytes', without('size_bytes')],
      ['null as filename', 'filename', { ...announcement(), filename: null }],
      ['a number as filename', 'filename', { ...announcement(), filename: 7 }],
      ['NUL in the filename', 'filename', announcement({ filename: 'a\0.pdf' })],
      ['half a surrogate pair in the filename', 'filename', `{"filename":"\\ud83d","content_type":"text/plain","size_bytes":1}`],
      ['a filename of 4,097 characters', 'filename', announcement({ filename: 'x'.repeat(4_097) })],
      ['a list as content type', 'content_type', { ...announcement(), content_type: ['text/plain'] }],
      ['a negative size', 'size_bytes', announcement({ size_bytes: -1 })],
      ['half a byte', 'size_bytes', announcement({ size_bytes: 0.5 })],
      ['a size in text', 'size_bytes', { ...announcement(), size_bytes: '5' }],
      ['a field that does not exist', 'sha256', { ...announcement(), sha256: 'x' }],
      ['a content type of 256 characters', 'content_type', announcement({ content_type: `text/${'x'.repeat(251)}` })],
    ])('is refused with %s', async (_name, field, body) => {
      expectInvalid(await post(body), field);
    });

    test.each([
      '',
      'pdf',
      'text/',
      '/plain',
      'text/plain/x',
      ' text/plain',
      'text/plain ',
      'text/plain;',
      'text/plain\n',
      'text/plain\r\nX-Injected: 1',
      'text/plain\n;charset=utf-8',
      'text/plain\u2028',
      'text/plain; name=\u00e9',
      'text/plain;\tcharset=utf-8',
      'te xt/plain',
      'text/pl"ain',
    ])('is refused with the content type %j, which could not stand in a header', async (content_type) => {
      expectInvalid(await post(announcement({ content_type })), 'content_type');
    });

    test.each([
      ['invalid_json', '{'],
      ['invalid_json', ''],
      ['validation_error', '[]'],
      ['validation_error', 'null'],
    ] as const)('is %s when it is %j', async (code, body) => {
      expectRefusal(await post(body), code);
    });

    test('is refused as anything but JSON', async () => {
      const response = await acme.api.request('POST', '/v1/uploads', { body: 'x', headers: { 'content-type': 'text/plain' } });
      expectRefusal(response, 'unsupported_media_type');
    });
  });

  describe('the key', () => {
    test('must be one that may write', async () => {
      expectRefusal(await post(announcement(), await acme.withKey('read')), 'forbidden');
      expectRefusal(await post(announcement(), service.anonymous), 'unauthorized');
    });
  });

  describe('the daily limit', () => {
    let limited: Awaited<ReturnType<FileService['sibling']>>;

    beforeAll(async () => {
      limited = await service.sibling({ DAILY_UPLOAD_LIMIT_BYTES: String(DAY_LIMIT_BYTES) });
    });
    afterAll(() => limited.stop());

    const announceAt = (business: TestBusiness, size_bytes: number, url = limited.url) =>
      post(announcement({ size_bytes }), business.api.at(url));
    const usedBy = async (business: TestBusiness) => (await business.api.at(limited.url).get('/me')).body.usage.uploads;

    async function expectExactly(count: number, sizeEach: number, responses: ApiResponse[], business: TestBusiness): Promise<void> {
      expect(responses.filter(({ status }) => status === 201)).toHaveLength(count);
      for (const response of responses.filter(({ status }) => status !== 201)) expectRefusal(response, 'quota_exceeded');
      expect((await usedBy(business)).used_bytes).toBe(count * sizeEach);
    }

    test('lets exactly as many of 50 parallel announcements through as fit', async () => {
      const business = await fresh();
      const responses = await Promise.all(Array.from({ length: 50 }, () => announceAt(business, 90)));
      await expectExactly(11, 90, responses, business);
    });

    test('holds over two processes', async () => {
      const business = await fresh();
      const other = await service.sibling({ DAILY_UPLOAD_LIMIT_BYTES: String(DAY_LIMIT_BYTES) });
      try {
        const urls = [limited.url, other.url];
        const responses = await Promise.all(Array.from({ length: 50 }, (_, i) => announceAt(business, 90, urls[i % 2])));
        await expectExactly(11, 90, responses, business);
      } finally {
        await other.stop();
      }
    });

    test('is named in the refusal, which says when there is more', async () => {
      const business = await fresh();
      await announceAt(business, DAY_LIMIT_BYTES);
      const before = await databaseNow();
      const response = await announceAt(business, 1);
      const after = await databaseNow();
      expectRefusal(response, 'quota_exceeded');
      expect(response.body.error.details).toEqual([{ path: '', message: expect.stringContaining('1000'), limit: 'daily_upload_bytes' }]);
      const { resets_at, limit_bytes } = await usedBy(business);
      expect(limit_bytes).toBe(DAY_LIMIT_BYTES);
      const retryMs = Number(response.headers.get('retry-after')) * 1000;
      expect(after + retryMs).toBeGreaterThanOrEqual(Date.parse(resets_at));
      expect(before + retryMs).toBeLessThanOrEqual(Date.parse(resets_at) + 1000);
    });

    test('is not touched by what is refused, so that all of the rest can still be had', async () => {
      const business = await fresh();
      await announceAt(business, 600);
      expectRefusal(await announceAt(business, 401), 'quota_exceeded');
      expectRefusal(await announceAt(business, 5 * GB + 1), 'file_too_large');
      expectInvalid(await announceAt(business, -1), 'size_bytes');
      expect((await announceAt(business, 400)).status).toBe(201);
      expect((await usedBy(business)).used_bytes).toBe(1_000);
      expect((await announceAt(business, 0)).status).toBe(201);
    });

    test('refuses at once what is more than all of it', async () => {
      const business = await fresh();
      expectRefusal(await announceAt(business, DAY_LIMIT_BYTES + 1), 'quota_exceeded');
      expect((await usedBy(business)).used_bytes).toBe(0);
    });

    test('counts an upload once, however many messages refer to it', async () => {
      const business = await fresh();
      const api = business.api.at(limited.url);
      const id = await upload(api, 'hello');
      for (let i = 0; i < 3; i++) expect((await api.send({ to: 'globex', files: [id] })).status).toBe(201);
      expect((await usedBy(business)).used_bytes).toBe(5);
    });

    test('is one business’s own, and back with the next day', async () => {
      const [business, other] = [await fresh(), await fresh()];
      await announceAt(business, DAY_LIMIT_BYTES);
      expect((await announceAt(other, DAY_LIMIT_BYTES)).status).toBe(201);
      await service.sql('UPDATE daily_usage SET day = day - 1 WHERE party_id = (SELECT id FROM parties WHERE handle = $1)', [
        business.handle,
      ]);
      expect((await announceAt(business, DAY_LIMIT_BYTES)).status).toBe(201);
      expectRefusal(await announceAt(business, 1), 'quota_exceeded');
    });
  });
});
