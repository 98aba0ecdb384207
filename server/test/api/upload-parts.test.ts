import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatId, newUuid, parseId } from '../../src/contract/ids.ts';
import { GB, MB, UPLOAD_PART_BYTES } from '../../src/contract/limits.ts';
import type { Api, ApiResponse } from '../support/api.ts';
import { dropped } from '../support/drops.ts';
import { type FileService, places, startFileService } from '../support/file-service.ts';
import { signInWithCode } from '../support/people.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';
import { type Announced, announce, announcement, cut, download, put, putStream, sha256Of, someBytes } from '../support/transfer.ts';

// biome-ignore lint/suspicious/noExplicitAny: responses of many shapes
type Json = any;
type Post = (path: string, body?: unknown) => Promise<ApiResponse>;

const HOUR_MS = 3_600_000;

describe.each(places)('an upload in parts, with files in a %s', (place) => {
  let service: FileService;
  let acme: TestBusiness;
  let other: TestBusiness;

  beforeAll(async () => {
    service = await startFileService(place);
    [acme, other] = await Promise.all([service.business('acme'), service.business('other')]);
  });
  afterAll(() => service.stop());

  const postBy =
    (api: Api): Post =>
    (path, body) =>
      body === undefined ? api.request('POST', `/v1/uploads${path}`) : api.write('POST', `/uploads${path}`, body);
  const ask: Post = (path, body) => postBy(acme.api)(path, body);
  const show = (id: string) => acme.api.get(`/uploads/${id}`);
  const send = (id: string) => acme.api.send({ to: 'other', files: [id] });

  async function begun(fields: Announced = {}, post: Post = ask): Promise<Json> {
    const response = await post('', { ...announcement(fields), parts: true });
    expect(response.status, response.text).toBe(201);
    return response.body;
  }

  async function tickets(id: string, numbers: number[], post: Post = ask): Promise<Json[]> {
    const response = await post(`/${id}/parts`, { numbers });
    expect(response.status, response.text).toBe(200);
    return response.body.parts;
  }

  async function putPart(id: string, number: number, bytes: string | Buffer<ArrayBuffer>, post: Post = ask): Promise<ApiResponse> {
    const [{ url, headers }] = (await tickets(id, [number], post)) as [Json];
    return put({ upload_url: url, headers }, bytes);
  }

  async function whole(text: string): Promise<string> {
    const { upload_id } = await begun({ size_bytes: text.length });
    expect((await putPart(upload_id, 1, text)).status).toBe(200);
    expect((await ask(`/${upload_id}/complete`)).status).toBe(200);
    return upload_id;
  }

  test('is paused, resumed by a client that has lost its state, completed, and sent like any other', async () => {
    const bytes = someBytes(2 * UPLOAD_PART_BYTES + 5);
    const parts = cut(bytes, UPLOAD_PART_BYTES);
    const upload = await begun({ filename: 'film.mp4', content_type: 'video/mp4', size_bytes: bytes.length });
    expect(upload).toEqual({
      upload_id: expect.stringMatching(/^upl_[0-9a-hjkmnp-tv-z]{26}$/),
      filename: 'film.mp4',
      content_type: 'video/mp4',
      size_bytes: bytes.length,
      part_size_bytes: 16 * MB,
      arrived_parts: [],
      complete: false,
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const id = upload.upload_id;
    expect((await show(id)).body).toEqual(upload);

    const [third, first] = (await tickets(id, [3, 1])) as [Json, Json];
    expect([third, first]).toMatchObject([
      { number: 3, size_bytes: 5 },
      { number: 1, size_bytes: UPLOAD_PART_BYTES },
    ]);
    for (const [ticket, part] of [
      [third, parts[2]],
      [first, parts[0]],
    ] as const)
      expect((await put({ upload_url: ticket.url, headers: ticket.headers }, part as Buffer<ArrayBuffer>)).status).toBe(200);
    expect((await show(id)).body).toEqual({ ...upload, arrived_parts: [1, 3] });

    const early = await ask(`/${id}/complete`);
    expectRefusal(early, 'upload_incomplete');
    expect(early.body.error.message).toContain('are missing: 2.');
    expectRefusal(await send(id), 'upload_incomplete');

    expect((await putPart(id, 2, parts[1] as Buffer<ArrayBuffer>)).status).toBe(200);
    expectRefusal(await send(id), 'upload_incomplete');
    const completed = await ask(`/${id}/complete`);
    expect([completed.status, completed.body]).toEqual([200, { ...upload, arrived_parts: [1, 2, 3], complete: true }]);
    expect((await show(id)).body).toEqual(completed.body);
    const { body } = await send(id);
    expect(body.files).toMatchObject([{ filename: 'film.mp4', size_bytes: bytes.length, sha256: sha256Of(bytes) }]);
    expect(sha256Of((await download(body.files[0].download_url)).bytes)).toBe(sha256Of(bytes));
    expect((await send(id)).status).toBe(201);
  });

  test('is over once it is complete, however often and at once that is said', async () => {
    const { upload_id: id } = await begun({ size_bytes: 5 });
    const [{ url, headers }] = (await tickets(id, [1])) as [Json];
    for (const text of ['first', 'again']) expect((await put({ upload_url: url, headers }, text)).status).toBe(200);
    const responses = await Promise.all(Array.from({ length: 10 }, () => ask(`/${id}/complete`)));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses[0]?.status).toBe(200);
    expect((await put({ upload_url: url, headers }, 'later')).status).toBe(place === 'folder' ? 409 : 404);
    expectRefusal(await ask(`/${id}/parts`, { numbers: [1] }), 'conflict');
    expect((await ask(`/${id}/complete`)).body).toEqual(responses[0]?.body);
    expect((await download((await send(id)).body.files[0].download_url)).bytes.toString()).toBe('again');
  });

  test('may have no bytes, and then has one part without any', async () => {
    const { upload_id: id } = await begun({ size_bytes: 0 });
    expectRefusal(await ask(`/${id}/complete`), 'upload_incomplete');
    expect(await tickets(id, [1])).toMatchObject([{ number: 1, size_bytes: 0 }]);
    expect((await putPart(id, 1, '')).status).toBe(200);
    expect((await ask(`/${id}/complete`)).body.complete).toBe(true);
    expect((await send(id)).body.files).toMatchObject([{ size_bytes: 0, sha256: sha256Of(Buffer.alloc(0)) }]);
  });

  test('of 5 GB has 320 parts, of which 100 are given at a time', async () => {
    const { upload_id: id } = await begun({ size_bytes: 5 * GB });
    const numbers = Array.from({ length: 101 }, (_, i) => 220 + i);
    const given = await tickets(id, numbers.slice(1));
    expect(given.map(({ number, size_bytes }) => [number, size_bytes])).toEqual(numbers.slice(1).map((number) => [number, 16 * MB]));
    expect(new Set(given.map(({ url }) => url)).size).toBe(100);
    expectInvalid(await ask(`/${id}/parts`, { numbers }), 'numbers');
    expectInvalid(await ask(`/${id}/parts`, { numbers: [320, 321] }), 'numbers/1');
    expectRefusal(await ask('', { ...announcement({ size_bytes: 5 * GB + 1 }), parts: true }), 'file_too_large');
  });

  test.each([
    {},
    { numbers: [] },
    { numbers: [0] },
    { numbers: [-1] },
    { numbers: [1.5] },
    { numbers: ['1'] },
    { numbers: [1, 1] },
    { numbers: [1e300] },
  ])('has no parts such as %j', async (body) => {
    const { upload_id: id } = await begun();
    expectRefusal(await ask(`/${id}/parts`, body), 'validation_error');
    expectRefusal(await ask(`/${id}/parts`, { numbers: [1], number: 1 }), 'validation_error');
  });

  test('counts toward the day’s limit, beyond which nothing is begun', async () => {
    const limited = await service.sibling({ DAILY_UPLOAD_LIMIT_BYTES: '1000' });
    const post = postBy((await service.business(`limited-${place}`)).api.at(limited.url));
    try {
      await begun({ size_bytes: 600 }, post);
      const before = await service.kept();
      expectRefusal(await post('', { ...announcement({ size_bytes: 401 }), parts: true }), 'quota_exceeded');
      expect(await service.kept()).toEqual(before);
      await begun({ size_bytes: 400 }, post);
    } finally {
      await limited.stop();
    }
  });

  test('is for an hour at a time, and a day in all, by the database’s clock', async () => {
    const [clock] = await service.sql<{ now: Date }>('SELECT now()');
    const now = clock?.now.getTime() as number;
    const { upload_id: id, expires_at } = await begun();
    expect(Date.parse(expires_at) - now).toBeGreaterThanOrEqual(24 * HOUR_MS);
    const endOf = async () => Date.parse((await ask(`/${id}/parts`, { numbers: [1] })).body.expires_at);
    const end = await endOf();
    expect(end - now).toBeGreaterThanOrEqual(HOUR_MS);
    expect(end).toBeLessThan(Date.parse(expires_at));
    const expire = (interval: string) =>
      service.sql('UPDATE uploads SET expires_at = now() + $2::interval WHERE id = $1', [parseId('upl', id), interval]);
    await expire('10 minutes');
    expect(await endOf()).toBe(Date.parse((await show(id)).body.expires_at));
    await expire('-1 second');
    for (const response of [await show(id), await ask(`/${id}/parts`, { numbers: [1] }), await ask(`/${id}/complete`), await send(id)])
      expectRefusal(response, 'upload_not_found');
  });

  test('can’t be seen, changed or sent by anybody else', async () => {
    const { upload_id: id } = await begun();
    const unknown = formatId('upl', newUuid());
    const reader = await acme.withKey('read');
    for (const named of [id, unknown, 'x', "upl_' OR true --"]) {
      const path = encodeURIComponent(named);
      const post = postBy(other.api);
      for (const response of [
        await other.api.get(`/uploads/${path}`),
        await post(`/${path}/parts`, { numbers: [1] }),
        await post(`/${path}/complete`),
      ])
        expectRefusal(response, 'upload_not_found');
    }
    expectRefusal(await reader.get(`/uploads/${id}`), 'forbidden');
    expectRefusal(await postBy(reader)(`/${id}/complete`), 'forbidden');
    await putPart(id, 1, 'hello');
    await ask(`/${id}/complete`);
    expectRefusal(await other.api.send({ to: 'acme', files: [id] }), 'upload_not_found');
    expect((await send(id)).status).toBe(201);
  });

  test('is not one that was announced in one piece', async () => {
    const { upload_id: id } = await announce(acme.api);
    for (const response of [await ask(`/${id}/parts`, { numbers: [1] }), await ask(`/${id}/complete`)])
      expectRefusal(response, 'validation_error');
    expect(Object.keys((await ask('', { ...announcement(), parts: false })).body)).toContain('upload_url');
  });

  test('is there for people without a handle, each for what is theirs', async () => {
    const [ann, cat] = [await signInWithCode(service, 'ann@gmail.com'), await signInWithCode(service, 'cat@gmail.com')];
    const post: Post = (path, body) => ann.request('POST', `/v1/drops/uploads${path}`, body === undefined ? {} : { body });
    const { upload_id: id } = await begun({ size_bytes: 5 }, post);
    expectRefusal(await post(`/${id}/complete`), 'upload_incomplete');
    expect((await putPart(id, 1, 'hello', post)).status).toBe(200);
    expect((await ann.get(`/v1/drops/uploads/${id}`)).body).toMatchObject({ arrived_parts: [1], complete: false });
    expectRefusal(await cat.get(`/v1/drops/uploads/${id}`), 'upload_not_found');
    expectRefusal(await cat.request('POST', `/v1/drops/uploads/${id}/complete`), 'upload_not_found');
    expectRefusal(await show(id), 'upload_not_found');
    expect((await post(`/${id}/complete`)).body.complete).toBe(true);
    expect((await dropped(ann, { to: 'acme', files: [id] })).files).toMatchObject([{ sha256: sha256Of(Buffer.from('hello')) }]);
  });

  test('is still there when the service that took its parts is not', async () => {
    const [first, second] = [await service.sibling(), await service.sibling()];
    const [one, two] = [postBy(acme.api.at(first.url)), postBy(acme.api.at(second.url))];
    const size = UPLOAD_PART_BYTES + 5;
    const { upload_id: id } = await begun({ size_bytes: size }, one);
    // Both processes receive the PUTs at once, and any of them may be the last.
    const fills = ['a', 'b', 'c', 'd'].map((fill) => Buffer.alloc(UPLOAD_PART_BYTES, fill));
    await Promise.all(fills.map((bytes, i) => putPart(id, 1, bytes, i % 2 === 0 ? one : two)));
    await first.stop();
    expect((await two('', { ...announcement(), parts: true })).status).toBe(201);
    expect((await show(id)).body.arrived_parts).toEqual([1]);
    expect((await putPart(id, 2, 'hello', two)).status).toBe(200);
    expect((await two(`/${id}/complete`)).status).toBe(200);
    await second.stop();
    const { bytes } = await download((await send(id)).body.files[0].download_url);
    expect(fills.some((fill) => fill.equals(bytes.subarray(0, UPLOAD_PART_BYTES)))).toBe(true);
    expect([bytes.length, bytes.subarray(UPLOAD_PART_BYTES).toString()]).toEqual([size, 'hello']);
  });

  test('is complete even if the service did not live to write that down', async () => {
    const id = await whole('hello');
    await service.sql('UPDATE uploads SET sealed_bytes = NULL WHERE id = $1', [parseId('upl', id)]);
    expect((await show(id)).body).toMatchObject({ arrived_parts: [1], complete: false });
    expect((await ask(`/${id}/complete`)).body.complete).toBe(true);
    await service.sql('UPDATE uploads SET sealed_bytes = NULL WHERE id = $1', [parseId('upl', id)]);
    expect((await send(id)).status).toBe(201);
  });

  // A bucket decides for itself about these.
  if (place === 'folder')
    test('keeps the part that came before when another breaks off, is forged or comes too late', async () => {
      const { upload_id: id } = await begun({ size_bytes: 10 });
      const [{ url }] = (await tickets(id, [1])) as [Json];
      expect((await put({ upload_url: url, headers: {} }, 'first half')).status).toBe(200);
      const broken = new Readable({ read() {} });
      broken.push('oth');
      const putting = putStream(url, { 'content-length': 10 }, broken).catch(() => undefined);
      await expect.poll(async () => (await service.kept()).some((name) => name.startsWith('aside/'))).toBe(true);
      broken.destroy();
      await putting;
      await expect.poll(async () => (await service.kept()).some((name) => name.startsWith('aside/'))).toBe(false);
      for (const [term, value] of [
        ['part', '2'],
        ['each', '5'],
        ['of', '20'],
        ['expires', '9999999999'],
      ] as const) {
        const forged = new URL(url);
        forged.searchParams.set(term, value);
        expectRefusal(await put({ upload_url: forged.href, headers: {} }, 'other half'), 'forbidden');
      }
      const past = new Date(Date.now() - 1_000);
      const upload = { id: parseId('upl', id) as string, ref: '', sizeBytes: 10, partBytes: UPLOAD_PART_BYTES };
      const late = await service.objects.parts.ticket(upload, 1, past);
      expectRefusal(await put({ upload_url: late.url, headers: {} }, 'other half'), 'forbidden');
      expect((await show(id)).body.arrived_parts).toEqual([1]);
      await ask(`/${id}/complete`);
      expect((await download((await send(id)).body.files[0].download_url)).bytes.toString()).toBe('first half');
    });
});
