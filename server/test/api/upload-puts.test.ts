import { request } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { MB } from '../../src/contract/limits.ts';
import { type FileService, places, startFileService } from '../support/file-service.ts';
import { exchange } from '../support/raw-http.ts';
import { expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';
import { announce, download, put, putStream, sha256Of, someBytes, type UploadTicket, upload } from '../support/transfer.ts';

const TYPE = 'text/plain';

describe.each(places)('a PUT to the upload URL, with files in a %s', (place) => {
  let service: FileService;
  let acme: TestBusiness;

  beforeAll(async () => {
    service = await startFileService(place);
    acme = await service.business('acme');
    await service.business('globex');
  });
  afterAll(() => service.stop());

  const send = (id: string) => acme.api.send({ to: 'globex', files: [id] });
  const announceBytes = (size_bytes: number) => announce(acme.api, { size_bytes, content_type: TYPE });
  const streamOf = (...chunks: (string | Buffer)[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

  async function bytesSent(id: string): Promise<string> {
    const { body } = await send(id);
    return (await download(body.files[0].download_url)).bytes.toString();
  }

  /** Expects a refusal that keeps nothing and leaves the upload usable for the right bytes. */
  async function expectRefused(ticket: UploadTicket, attempt: () => Promise<{ status: number }>, statuses: number[]): Promise<void> {
    const before = await service.kept();
    const response = await attempt();
    expect(statuses).toContain(response.status);
    expect(await service.kept()).toEqual(before);
    expectRefusal(await send(ticket.upload_id), 'upload_incomplete');
    expect((await put(ticket, 'hello')).status).toBe(200);
    expect(await bytesSent(ticket.upload_id)).toBe('hello');
  }

  /** A bucket only sees that the headers differ from the signed ones. */
  const refusal = place === 'folder' ? [400] : [403];

  describe('with what was announced', () => {
    test('needs no key', async () => {
      const ticket = await announceBytes(5);
      expect(Object.keys(ticket.headers).map((name) => name.toLowerCase())).not.toContain('authorization');
      expect((await put(ticket, 'hello')).status).toBe(200);
      expect(await bytesSent(ticket.upload_id)).toBe('hello');
    });

    test.each([0, 1, 1000, 3 * MB + 1])('takes %i bytes', async (size) => {
      const bytes = someBytes(size);
      const { status, body } = await send(await upload(acme.api, bytes));
      expect([status, body.files[0].size_bytes, body.files[0].sha256]).toEqual([201, size, sha256Of(bytes)]);
    });

    test.each(['application/json', 'application/json; charset=utf-8', 'multipart/form-data', 'text/html', 'x-made-up/thing'])(
      'takes %s as mere bytes',
      async (content_type) => {
        const bytes = Buffer.from(`{ "not": "looked at" ${' '.repeat(200_000)}`);
        const { status, body } = await send(await upload(acme.api, bytes, { content_type }));
        expect([status, body.files[0].content_type, body.files[0].sha256]).toEqual([201, content_type, sha256Of(bytes)]);
      },
    );

    test('counts the last time when it is repeated before the message is sent', async () => {
      const ticket = await announceBytes(5);
      for (const text of ['first', 'again', 'third']) expect((await put(ticket, text)).status).toBe(200);
      expect(await bytesSent(ticket.upload_id)).toBe('third');
    });

    test('leaves nothing but those bytes', async () => {
      const before = await service.kept();
      const ticket = await announceBytes(5);
      await put(ticket, 'first');
      await put(ticket, 'again');
      const uuid = parseId('upl', ticket.upload_id);
      expect((await service.kept()).filter((name) => !before.includes(name))).toEqual([`uploads/${uuid}`]);
      await send(ticket.upload_id);
      expect((await service.kept()).filter((name) => !before.includes(name))).toEqual([
        `objects/${await service.objectOf(ticket.upload_id)}`,
      ]);
    });
  });

  describe('of another size', () => {
    test.each([
      ['a byte less', 'hell'],
      ['a byte more', 'hello!'],
      ['nothing', ''],
      ['much more', 'x'.repeat(3 * MB)],
    ])('is refused with %s', async (_name, text) => {
      const ticket = await announceBytes(5);
      const headers = { 'content-type': TYPE, 'content-length': text.length };
      await expectRefused(ticket, () => putStream(ticket.upload_url, headers, streamOf(text)), refusal);
    });

    test.each([
      ['a byte less', ['hel', 'l']],
      ['a byte more', ['hello', '!']],
      ['much more', Array.from({ length: 100 }, () => someBytes(65_536))],
    ])('is refused with %s in chunks of which nobody knows how many come', async (_name, chunks) => {
      const ticket = await announceBytes(5);
      await expectRefused(ticket, () => putStream(ticket.upload_url, { 'content-type': TYPE }, streamOf(...chunks)), refusal);
    });

    test('is told so', async () => {
      const ticket = await announceBytes(5);
      const responses = [
        await putStream(ticket.upload_url, { 'content-type': TYPE, 'content-length': 4 }, streamOf('hell')),
        await putStream(ticket.upload_url, { 'content-type': TYPE }, streamOf('hello', 'world')),
      ];
      for (const response of responses) {
        if (place === 'folder') {
          expectRefusal(response, 'validation_error');
          expect(response.body.error.message).toContain('exactly 5 bytes');
        } else expect(response.text).toContain('SignatureDoesNotMatch');
      }
    });

    if (place === 'folder')
      test('does not stand in the way of the next request on its connection', async () => {
        const { pathname, search } = new URL((await announceBytes(5)).upload_url);
        const chunk = Buffer.concat([Buffer.from('10000\r\n'), someBytes(65_536), Buffer.from('\r\n')]);
        const head = `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: ${TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n`;
        const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
        const body = Buffer.concat([...Array.from({ length: 100 }, () => chunk), Buffer.from('0\r\n\r\n')]);
        const { text } = await exchange(service.url, Buffer.concat([Buffer.from(head), body, Buffer.from(next)]), { quietMs: 60_000 });
        expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['400', '200']);
      });

    test('because the connection broke leaves nothing', async () => {
      const ticket = await announceBytes(1_000_000);
      const before = await service.kept();
      const sending = request(ticket.upload_url, { method: 'PUT', headers: { 'content-type': TYPE, 'content-length': 1_000_000 } });
      const closed = new Promise((resolve) => sending.once('close', resolve));
      sending.on('error', () => {});
      sending.write(someBytes(600_000));
      // A folder shows bytes under way. A bucket does not.
      if (place === 'folder') while ((await service.kept()).length === before.length) await sleep(5);
      else await sleep(100);
      sending.destroy();
      await closed;
      while ((await service.kept()).length > before.length) await sleep(5);
      expect(await service.kept()).toEqual(before);
      expectRefusal(await send(ticket.upload_id), 'upload_incomplete');
      const bytes = someBytes(1_000_000);
      expect((await put(ticket, bytes)).status).toBe(200);
      expect((await send(ticket.upload_id)).body.files[0].sha256).toBe(sha256Of(bytes));
    });
  });

  describe('with other headers', () => {
    test.each([
      ['no content type', {}],
      ['another content type', { 'content-type': 'text/html' }],
      ['a content type that only looks alike', { 'content-type': 'text/plain; charset=utf-8' }],
    ])('is refused with %s', async (_name, headers) => {
      const ticket = await announceBytes(5);
      await expectRefused(ticket, () => putStream(ticket.upload_url, { ...headers, 'content-length': 5 }, streamOf('hello')), refusal);
    });
  });

  describe('to a URL that was altered', () => {
    test.each<[string, (url: string) => string]>([
      ['another id in it', (url) => url.replace(/.\?/, (end) => (end[0] === '0' ? '1?' : '0?'))],
      ['no query', (url) => url.replace(/\?.*/, '')],
      ['something added', (url) => `${url}&more=1`],
      ['something put in front', (url) => url.replace('?', '?more=1&')],
    ])('is refused with %s', async (_name, altered) => {
      const ticket = await announceBytes(5);
      await expectRefused(ticket, () => put({ ...ticket, upload_url: altered(ticket.upload_url) }, 'hello'), [403]);
    });

    test('is refused whichever of its parameters is another, or missing', async () => {
      const ticket = await announceBytes(5);
      const before = await service.kept();
      for (const name of new URL(ticket.upload_url).searchParams.keys()) {
        const [other, missing] = [new URL(ticket.upload_url), new URL(ticket.upload_url)];
        const value = other.searchParams.get(name) as string;
        other.searchParams.set(
          name,
          value.replace(/.$/, (last) => (last === '1' ? '2' : '1')),
        );
        missing.searchParams.delete(name);
        for (const { href } of [other, missing]) {
          // A bucket distinguishes unsigned requests from unreadable ones.
          expect(place === 'folder' ? [403] : [400, 403], href).toContain((await put({ ...ticket, upload_url: href }, 'hello')).status);
        }
      }
      expect(await service.kept()).toEqual(before);
    });

    test('is refused with any character of the signature changed', async () => {
      const ticket = await announceBytes(5);
      const [, signature = ''] = /signature=([\w-]+)/i.exec(ticket.upload_url) ?? [];
      const changed = [...signature].map((character, i) => {
        const next = character === '9' ? '8' : character === 'z' ? 'y' : String.fromCharCode(character.charCodeAt(0) + 1);
        return ticket.upload_url.replace(signature, signature.slice(0, i) + next + signature.slice(i + 1));
      });
      const more = [`${signature}A`, `${signature}=`, `${signature}!`, signature.slice(0, -1)];
      const urls = [...changed, ...more.map((text) => ticket.upload_url.replace(signature, text))];
      const statuses = await Promise.all(urls.map(async (upload_url) => (await put({ ...ticket, upload_url }, 'hello')).status));
      expect(new Set(statuses)).toEqual(new Set([403]));
    });

    test('is refused at a download URL, and a download at the upload URL', async () => {
      const id = await upload(acme.api, 'hello', { content_type: TYPE });
      const { download_url } = (await send(id)).body.files[0];
      const headers = { 'content-type': TYPE, 'content-length': 5 };
      expect((await putStream(download_url, headers, streamOf('other'))).status).toBe(403);
      expect((await download((await announceBytes(5)).upload_url)).status).toBe(403);
      expect(await bytesSent(id)).toBe('hello');
    });
  });

  test('is refused after its time', async () => {
    const ticket = await announceBytes(5);
    const uuid = parseId('upl', ticket.upload_id) as string;
    const { url, headers } = await service.objects.uploadTicket(uuid, { sizeBytes: 5, contentType: TYPE, expiresAt: new Date() });
    // URLs of a bucket are valid for at least a second.
    await sleep(1_100);
    const late = { ...ticket, upload_url: url, headers };
    if (place === 'folder') {
      const response = await put(late, 'hello');
      expectRefusal(response, 'forbidden');
      expect(response.body.error.message).toContain('expired');
    }
    await expectRefused(ticket, () => put(late, 'hello'), [403]);
  });

  describe('after the message was sent', () => {
    test('never changes what was sent', async () => {
      const ticket = await announceBytes(5);
      await put(ticket, 'first');
      const { body } = await send(ticket.upload_id);
      const response = await put(ticket, 'again');
      if (place === 'folder') expectRefusal(response, 'conflict');
      expect((await download(body.files[0].download_url)).bytes.toString()).toBe('first');
      const second = (await send(ticket.upload_id)).body;
      expect(second.files[0].sha256).toBe(body.files[0].sha256);
      expect((await download(second.files[0].download_url)).bytes.toString()).toBe('first');
      const read = (await acme.api.get(`/messages/${body.id}`)).body;
      expect((await download(read.files[0].download_url)).bytes.toString()).toBe('first');
    });

    test('never changes what was sent, even if it had begun before', async () => {
      const ticket = await announceBytes(10);
      await put(ticket, 'first half');
      let letGo = () => {};
      const slow = Readable.from(
        (async function* () {
          yield Buffer.from('other');
          await new Promise<void>((resolve) => {
            letGo = resolve;
          });
          yield Buffer.from(' half');
        })(),
      );
      const putting = putStream(ticket.upload_url, { 'content-type': TYPE, 'content-length': 10 }, slow);
      await sleep(50);
      const { body } = await send(ticket.upload_id);
      letGo();
      await putting;
      expect((await download(body.files[0].download_url)).bytes.toString()).toBe('first half');
      expect(await bytesSent(ticket.upload_id)).toBe('first half');
    });

    test('never changes what was sent, in whatever order many of both come', async () => {
      for (let round = 0; round < 3; round++) {
        const ticket = await announceBytes(5);
        await put(ticket, 'first');
        const responses = await Promise.all(
          Array.from({ length: 20 }, async (_, i) => {
            if (i % 2 === 1) return send(ticket.upload_id);
            await put(ticket, `nr ${String(i).padStart(2, '0')}`);
            return undefined;
          }),
        );
        const sent = responses.filter((response) => response !== undefined);
        expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([201]));
        for (const { body } of sent) {
          const [{ sha256, download_url }] = body.files;
          expect(sha256Of((await download(download_url)).bytes)).toBe(sha256);
        }
      }
    });
  });

  test('has a path that takes nothing but PUT and GET, and only with a signature', async () => {
    const path = new URL((await announceBytes(5)).upload_url).pathname;
    for (const method of ['POST', 'DELETE', 'PATCH'])
      expectRefusal(await service.anonymous.request(method, '/objects/x'), 'method_not_allowed');
    const responses = [
      await service.anonymous.request('PUT', `/objects/${path.split('/').at(-1)}`),
      await service.anonymous.request('GET', '/objects/x'),
    ];
    for (const response of responses) expectRefusal(response, 'forbidden');
  });
});
