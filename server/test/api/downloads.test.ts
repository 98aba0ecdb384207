import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatId, newUuid } from '../../src/contract/ids.ts';
import { MB } from '../../src/contract/limits.ts';
import { type FileService, places, startFileService } from '../support/file-service.ts';
import { expectRefusal, withoutTraces } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';
import { type Announced, download, someBytes, upload } from '../support/transfer.ts';

const HOUR_MS = 3_600_000;
/** The service knows the database's clock as well as a round trip on a busy machine tells. */
const CLOCK_ERROR_MS = 1_000;
const JSON_WANTED = { accept: 'application/json' };
const SIZE = 10_000;

describe.each(places)('with files in a %s', (place) => {
  let service: FileService;
  let acme: TestBusiness;
  let globex: TestBusiness;
  let initech: TestBusiness;
  const bytes = someBytes(SIZE);
  let fileId: string;
  let url: string;

  beforeAll(async () => {
    service = await startFileService(place);
    [acme, globex, initech] = await Promise.all([service.business('acme'), service.business('globex'), service.business('initech')]);
    const id = await upload(acme.api, bytes, { filename: 'report.pdf', content_type: 'application/pdf' });
    [{ id: fileId, download_url: url }] = (await acme.api.send({ to: 'globex', files: [id] })).body.files;
  });
  afterAll(() => service.stop());

  async function sentFile(content: string | Buffer<ArrayBuffer>, fields: Announced = {}): Promise<{ id: string; download_url: string }> {
    const { body } = await acme.api.send({ to: 'globex', files: [await upload(acme.api, content, fields)] });
    return body.files[0];
  }

  describe('GET /files/{id}', () => {
    test.each(['application/json', 'application/json; charset=utf-8', 'text/html, application/json;q=0.9', 'APPLICATION/JSON'])(
      'responds to Accept: %s with a URL that is valid for an hour',
      async (accept) => {
        const before = Date.now();
        const { status, headers, body } = await globex.api.get(`/files/${fileId}`, { accept });
        const after = Date.now();
        expect(status).toBe(200);
        expect(headers.get('content-type')).toMatch(/^application\/json/);
        expect(Object.keys(body).sort()).toEqual(['download_url', 'expires_at']);
        expect(body.expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(Date.parse(body.expires_at)).toBeGreaterThanOrEqual(before + HOUR_MS - CLOCK_ERROR_MS);
        expect(Date.parse(body.expires_at)).toBeLessThanOrEqual(after + HOUR_MS + CLOCK_ERROR_MS);
        expect((await download(body.download_url)).bytes.equals(bytes)).toBe(true);
      },
    );

    test.each([{ accept: '*/*' }, { accept: 'text/html' }, { accept: 'application/jsonp' }])(
      'responds to %j with a redirect to the URL',
      async (headers) => {
        const response = await globex.api.get(`/files/${fileId}`, headers as Record<string, string>);
        expect([response.status, response.text]).toEqual([302, '']);
        expect((await download(response.headers.get('location') as string)).bytes.equals(bytes)).toBe(true);
      },
    );

    test('lets a client that follows redirects have the bytes, without handing on its key', async () => {
      const response = await fetch(`${service.url}/v1/files/${fileId}`, { headers: { authorization: `Bearer ${globex.secret}` } });
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
      expect(response.url).not.toContain(globex.secret);
    });

    test('is for both parties and each of their keys', async () => {
      for (const business of [acme, globex]) {
        expect((await business.api.get(`/files/${fileId}`, JSON_WANTED)).status).toBe(200);
        expect((await (await business.withKey('read')).get(`/files/${fileId}`, JSON_WANTED)).status).toBe(200);
      }
    });

    test('needs a key', async () => {
      expectRefusal(await service.anonymous.get(`/files/${fileId}`), 'unauthorized');
    });

    test('tells a third party no more than that a file does not exist', async () => {
      const ids = [fileId, formatId('file', newUuid()), fileId.toUpperCase(), fileId.slice(5), `${fileId}0`, 'file_', 'x', '%00', "'%20OR"];
      const responses = await Promise.all(
        ids.flatMap((id) => [initech.api.get(`/files/${id}`), initech.api.get(`/files/${id}`, JSON_WANTED)]),
      );
      for (const response of responses) {
        expectRefusal(response, 'not_found');
        expect(withoutTraces(response)).toEqual(withoutTraces(responses[0] as (typeof responses)[number]));
      }
    });

    test('knows no file by the id of its upload, message or object', async () => {
      const uploadId = await upload(acme.api, 'hello');
      const { body } = await acme.api.send({ to: 'globex', files: [uploadId] });
      const object = /[0-9a-f-]{36}/.exec(body.files[0].download_url)?.[0] as string;
      for (const id of [uploadId, body.id, object, formatId('file', object)])
        expectRefusal(await acme.api.get(`/files/${id}`), 'not_found');
    });

    test('refuses query parameters', async () => {
      expectRefusal(await acme.api.get(`/files/${fileId}?inline=1`), 'validation_error');
    });
  });

  describe('a download', () => {
    test('needs no key, and gives all the bytes and how many', async () => {
      const got = await download(url);
      expect([got.status, got.headers.get('content-length'), got.headers.get('accept-ranges')]).toEqual([200, String(SIZE), 'bytes']);
      expect(got.bytes.equals(bytes)).toBe(true);
    });

    test('of an empty file is empty', async () => {
      const got = await download((await sentFile('')).download_url);
      expect([got.status, got.bytes.length, got.headers.get('content-length')]).toEqual([200, 0, '0']);
    });

    test('can be had again and again, by many at once', async () => {
      const all = await Promise.all(Array.from({ length: 30 }, () => download(url)));
      expect(all.every((got) => got.bytes.equals(bytes))).toBe(true);
    });

    const ranges: [string, string, number, number][] = [
      ['the first bytes', 'bytes=0-99', 0, 99],
      ['bytes of the middle', 'bytes=4000-4999', 4_000, 4_999],
      ['a single byte', 'bytes=7-7', 7, 7],
      ['all from somewhere on', 'bytes=9000-', 9_000, SIZE - 1],
      ['the last byte', `bytes=${SIZE - 1}-`, SIZE - 1, SIZE - 1],
      ['more than there is', 'bytes=9990-20000', 9_990, SIZE - 1],
    ];
    // A bucket serves these ranges itself, and the bucket of the tests does not know them.
    const furtherRanges: typeof ranges = [
      ['the first byte', 'bytes=0-0', 0, 0],
      ['the last bytes', 'bytes=-100', SIZE - 100, SIZE - 1],
      ['more last bytes than there are', 'bytes=-20000', 0, SIZE - 1],
    ];
    test.each([...ranges, ...(place === 'folder' ? furtherRanges : [])])('gives %s (%s)', async (_name, range, start, end) => {
      const got = await download(url, { range });
      expect([got.status, got.headers.get('content-range')]).toEqual([206, `bytes ${start}-${end}/${SIZE}`]);
      expect(got.headers.get('content-length')).toBe(String(end - start + 1));
      expect(got.headers.get('content-disposition')).toMatch(/^attachment/);
      expect(got.bytes.equals(bytes.subarray(start, end + 1))).toBe(true);
    });

    test.each([`bytes=${SIZE}-`, 'bytes=20000-30000'])('tells that %s lies outside of the file', async (range) => {
      const got = await download(url, { range });
      expect(got.status).toBe(416);
      if (place === 'folder') expect(got.headers.get('content-range')).toBe(`bytes */${SIZE}`);
    });

    test('that broke off can be resumed, and is then the whole', async () => {
      const large = someBytes(3 * MB);
      const { download_url, id } = await sentFile(large);
      const whole = await download(download_url);
      const first = await download(download_url, { range: 'bytes=0-1234566' });
      const rest = await download((await globex.api.get(`/files/${id}`, JSON_WANTED)).body.download_url, { range: 'bytes=1234567-' });
      expect(Buffer.concat([first.bytes, rest.bytes]).equals(large)).toBe(true);
      expect(new Set([whole, first, rest].map(({ headers }) => headers.get('etag'))).size).toBe(1);
    });

    test('is an attachment of its type that a browser takes as it is called', async () => {
      const { headers } = await download(url);
      expect(headers.get('content-type')).toBe('application/pdf');
      expect(headers.get('content-disposition')).toBe(`attachment; filename="report.pdf"; filename*=UTF-8''report.pdf`);
      if (place === 'folder') expect(headers.get('x-content-type-options')).toBe('nosniff');
    });
  });

  describe('a download URL', () => {
    test('is good for HEAD, too', async () => {
      const response = await fetch(url, { method: 'HEAD', redirect: 'manual' });
      expect([response.status, response.headers.get('content-length')]).toEqual([200, String(SIZE)]);
      expect(response.headers.get('content-type')).toBe('application/pdf');
      expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="report\.pdf"/);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    });

    test('never lets a browser run what it leads to, nor others keep it', async () => {
      const { download_url } = await sentFile('<script>', { content_type: 'text/html', filename: 'a.html' });
      const { headers } = await download(download_url);
      expect(headers.get('content-type')).toBe('application/octet-stream');
      expect(headers.get('content-disposition')).toMatch(/^attachment/);
      expect(headers.get('cache-control')).toMatch(/^private/);
    });

    test('that was altered anywhere gives 403, whatever key comes along', async () => {
      const parsed = new URL(url);
      const altered = [...parsed.searchParams.keys()].flatMap((name) => {
        const [other, missing] = [new URL(url), new URL(url)];
        other.searchParams.set(
          name,
          (parsed.searchParams.get(name) as string).replace(/.$/, (last) => (last === '1' ? '2' : '1')),
        );
        missing.searchParams.delete(name);
        return [other.href, missing.href];
      });
      altered.push(
        url.replace(/.\?/, (end) => (end[0] === '0' ? '1?' : '0?')),
        `${url}&more=1`,
        url.replace('?', '?more=1&'),
        url.replace(/\?.*/, ''),
      );
      for (const one of altered) expect(place === 'folder' ? [403] : [400, 403], one).toContain((await download(one)).status);
      // A bucket refuses a request with two kinds of authorization.
      const withKey = await download(altered[0] as string, { authorization: `Bearer ${acme.secret}` });
      expect(place === 'folder' ? [403] : [400, 403]).toContain(withKey.status);
    });

    test('with any character of its signature changed gives 403', async () => {
      const [, signature = ''] = /signature=([\w-]+)/i.exec(url) ?? [];
      const changed = [...signature].map((character, i) => {
        const next = character === '9' ? '8' : character === 'z' ? 'y' : String.fromCharCode(character.charCodeAt(0) + 1);
        return signature.slice(0, i) + next + signature.slice(i + 1);
      });
      const all = [...changed, `${signature}A`, `${signature}=`, signature.slice(0, -1), signature.slice(1), ''];
      const statuses = await Promise.all(all.map(async (text) => (await download(url.replace(signature, text))).status));
      expect(new Set(statuses)).toEqual(new Set([403]));
    });

    test('gives 403 after its time', async () => {
      const object = /[0-9a-f-]{36}/.exec(url)?.[0] as string;
      const late = await service.objects.downloadUrl(object, { filename: 'x', contentType: 'text/plain', expiresAt: new Date() });
      // URLs of a bucket are valid for at least a second.
      await sleep(1_100);
      expect((await download(late)).status).toBe(403);
      expect((await download(late, { range: 'bytes=0-1' })).status).toBe(403);
      if (place === 'folder') {
        const response = await service.anonymous.request('GET', late.slice(service.url.length));
        expectRefusal(response, 'forbidden');
        expect(response.body.error.message).toContain('expired');
      }
    });

    test('is signed again for each read', async () => {
      const first = (await globex.api.get(`/files/${fileId}`, JSON_WANTED)).body;
      // Times in a URL are whole seconds.
      await sleep(1_001);
      const second = (await globex.api.get(`/files/${fileId}`, JSON_WANTED)).body;
      expect(second.download_url).not.toBe(first.download_url);
      expect(Date.parse(second.expires_at)).toBeGreaterThan(Date.parse(first.expires_at));
    });
  });

  if (place === 'folder')
    describe('as the service itself serves them', () => {
      test.each(['bytes=0-1,4-5', 'bytes=0-1, -2', 'bytes=', 'bytes=-', 'bytes=a-b', 'bytes=1', 'chars=0-1', 'bytes 0-1'])(
        'the range %j, which is not one range of bytes, gives the whole',
        async (range) => {
          const got = await download(url, { range });
          expect([got.status, got.headers.get('content-range')]).toEqual([200, null]);
          expect(got.bytes.equals(bytes)).toBe(true);
        },
      );

      test.each(['bytes=-0', 'bytes=5-2', 'bytes=99999999999999999999-'])('the range %j can’t be met', async (range) => {
        const response = await service.anonymous.request('GET', url.slice(service.url.length), { headers: { range } });
        expect([response.status, response.body.error.code]).toEqual([416, 'validation_error']);
        expect(response.headers.get('content-range')).toBe(`bytes */${SIZE}`);
      });

      test('no range of an empty file can be met', async () => {
        expect((await download((await sentFile('')).download_url, { range: 'bytes=0-' })).status).toBe(416);
      });

      test('a range comes only if the file is still the one of If-Range', async () => {
        const range = 'bytes=0-9';
        const etag = (await download(url)).headers.get('etag') as string;
        const same = await download(url, { range, 'if-range': etag });
        expect([same.status, same.bytes.length]).toEqual([206, 10]);
        for (const other of ['"another"', `W/${etag}`, etag.slice(1, -1), new Date().toUTCString()]) {
          const got = await download(url, { range, 'if-range': other });
          expect([got.status, got.bytes.length], other).toEqual([200, SIZE]);
        }
      });

      test('two files have two tags, and the same bytes in two messages one', async () => {
        const id = await upload(acme.api, 'hello');
        const urls = await Promise.all(
          [1, 2].map(async () => (await acme.api.send({ to: 'globex', files: [id] })).body.files[0].download_url),
        );
        const tags = await Promise.all([...urls, url].map(async (one) => (await download(one)).headers.get('etag')));
        expect(tags[0]).toBe(tags[1]);
        expect(tags[2]).not.toBe(tags[0]);
      });

      test('HEAD gives the headers of GET and no body', async () => {
        for (const range of [undefined, 'bytes=5-14']) {
          const headers: Record<string, string> = range === undefined ? {} : { range };
          const [got, head] = [await download(url, headers), await download(url, headers, 'HEAD')];
          const telling = ({ headers: all }: typeof got) =>
            Object.fromEntries([...all].filter(([name]) => !['date', 'x-request-id', 'keep-alive', 'connection'].includes(name)));
          expect([head.status, head.bytes.length]).toEqual([got.status, 0]);
          expect(telling(head)).toEqual(telling(got));
        }
        expect((await download(`${url}x`, {}, 'HEAD')).status).toBe(403);
      });

      test('HEAD does not read the file', async () => {
        const { download_url } = await sentFile(someBytes(20 * MB));
        const bytesRead = () => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
        const before = bytesRead();
        expect((await download(download_url, {}, 'HEAD')).status).toBe(200);
        await sleep(200);
        expect(bytesRead() - before).toBeLessThan(10 * MB);
      });

      test('nothing in them is run, framed, or told to others', async () => {
        for (const headers of [{}, { range: 'bytes=0-1' }]) {
          const got = await download(url, headers as Record<string, string>);
          const policy = (got.headers.get('content-security-policy') ?? '').split(';').map((part) => part.trim());
          expect(policy).toEqual(expect.arrayContaining(['sandbox', "default-src 'none'"]));
          expect(got.headers.get('x-content-type-options')).toBe('nosniff');
          expect(got.headers.get('referrer-policy')).toBe('no-referrer');
          expect(got.headers.get('cache-control')).toContain('private');
        }
      });
    });
});
