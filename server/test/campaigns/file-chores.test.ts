import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid, parseId } from '../../src/contract/ids.ts';
import { MB } from '../../src/contract/limits.ts';
import { type FileService, places, startFileService } from '../support/file-service.ts';
import { contentHashOf } from '../support/rfc8785.ts';
import type { TestBusiness } from '../support/service.ts';
import { announce, announcement, download, put, putStream, someBytes, upload } from '../support/transfer.ts';

// biome-ignore lint/suspicious/noExplicitAny: envelopes as they came
type Json = any;

const LARGE_BYTES = 101 * MB;

describe.each(places)('with files in a %s', (place) => {
  let service: FileService;
  let acme: TestBusiness;
  let globex: TestBusiness;

  beforeAll(async () => {
    service = await startFileService(place);
    [acme, globex] = await Promise.all([service.business('acme'), service.business('globex')]);
  });
  afterAll(() => service.stop());

  const send = async (uploadId: string): Promise<Json> => (await acme.api.send({ to: 'globex', files: [uploadId] })).body;

  describe('a file over 100 MB', () => {
    let uploadId: string;
    let sha256: string;

    beforeAll(async () => {
      ({ uploadId, sha256 } = await uploadInChunks(LARGE_BYTES));
    });

    /** Uploads without holding the whole file in memory. */
    async function uploadInChunks(size: number): Promise<{ uploadId: string; sha256: string }> {
      const ticket = await announce(acme.api, { size_bytes: size });
      const [chunk, hash] = [someBytes(MB), createHash('sha256')];
      const chunks = Readable.from(
        (function* () {
          for (let left = size; left > 0; left -= chunk.length) {
            const piece = chunk.subarray(0, Math.min(left, chunk.length));
            hash.update(piece);
            yield piece;
          }
        })(),
      );
      const { status, text } = await putStream(ticket.upload_url, { ...ticket.headers, 'content-length': size }, chunks);
      expect(status, text).toBe(200);
      return { uploadId: ticket.upload_id, sha256: `sha256:${hash.digest('hex')}` };
    }

    function contentHashWith(hash: string | null, envelope: Json): string {
      return contentHashOf(
        envelope,
        envelope['files'].map(({ download_url: _d, ...file }: Json) => ({ ...file, sha256: hash })),
      );
    }

    /** Polls until the file has a hash. The time limit of the test ends the wait. */
    async function hashed(messageId: string): Promise<Json> {
      for (;;) {
        const { body } = await globex.api.get(`/messages/${messageId}`);
        if (body.files[0].sha256 !== null) return body;
        await sleep(20);
      }
    }

    test('is delivered without a hash, gets it soon after, and content_hash stays that of a file without one', async () => {
      const message = await send(uploadId);
      expect([message.files[0].sha256, message.files[0].size_bytes]).toEqual([null, LARGE_BYTES]);
      expect(message.content_hash).toBe(contentHashWith(null, message));
      const read = await hashed(message.id);
      expect(read.files[0].sha256).toBe(sha256);
      expect(read.content_hash).toBe(message.content_hash);
      const receipt = (await service.anonymous.get(`/receipts/${message.receipt_url.split('/r/')[1]}`)).body;
      expect([receipt.files[0].sha256, receipt.content_hash]).toEqual([sha256, message.content_hash]);
      for (const [api, path] of [
        [globex.api, '/inbox'],
        [acme.api, '/outbox'],
      ] as const)
        expect((await api.get(path)).body.data[0].files[0].sha256).toBe(sha256);
    });

    test('can be downloaded whole', async () => {
      const { files } = await send(uploadId);
      const response = await fetch(files[0].download_url);
      const hash = createHash('sha256');
      for await (const chunk of response.body as AsyncIterable<Uint8Array>) hash.update(chunk);
      expect(`sha256:${hash.digest('hex')}`).toBe(sha256);
    });

    test('is delivered the same way again, though its hash is known by then', async () => {
      const message = await send(uploadId);
      expect(message.files[0].sha256).toBeNull();
      expect(message.content_hash).toBe(contentHashWith(null, message));
      expect((await hashed(message.id)).files[0].sha256).toBe(sha256);
    });

    // The threshold does not depend on the store.
    if (place === 'folder')
      test('is not one of exactly 100 MB, which is delivered with its hash', async () => {
        const exact = await uploadInChunks(100 * MB);
        const message = await send(exact.uploadId);
        expect(message.files[0].sha256).toBe(exact.sha256);
        expect(message.content_hash).toBe(contentHashWith(exact.sha256, message));
      });
  });

  describe('the clean-up', () => {
    const expire = (uploadId: string, interval: string) =>
      service.sql('UPDATE uploads SET expires_at = now() - $2::interval WHERE id = $1', [parseId('upl', uploadId), interval]);
    const isKnown = async (uploadId: string) =>
      (await service.sql('SELECT 1 FROM uploads WHERE id = $1', [parseId('upl', uploadId)])).length === 1;
    const keptWith = async (...ids: (string | undefined)[]) =>
      (await service.kept()).filter((name) => ids.some((id) => id !== undefined && name.includes(id)));
    const keptOf = async (uploadId: string) => keptWith(parseId('upl', uploadId), await service.objectOf(uploadId));

    /** Runs the chore at once, and waits for it. */
    async function cleanUp(): Promise<void> {
      await service.sql(`SELECT graphile_worker.add_job('remove-unused-files')`);
      const waiting = `SELECT last_error FROM graphile_worker.jobs WHERE task_identifier = 'remove-unused-files'`;
      for (let jobs = await service.sql(waiting); jobs.length > 0; jobs = await service.sql(waiting)) {
        expect(jobs[0]?.['last_error']).toBeNull();
        await sleep(20);
      }
    }

    /** Stores bytes that are unknown to the database. */
    async function orphan(hours: number): Promise<string> {
      const id = newUuid();
      await service.objects.write(id, Readable.from([Buffer.from('orphan')]));
      await service.age(`objects/${id}`, hours);
      return `objects/${id}`;
    }

    test('is on the schedule', async () => {
      const crontabs = await service.sql<{ identifier: string }>('SELECT identifier FROM graphile_worker._private_known_crontabs');
      expect(crontabs.map(({ identifier }) => identifier)).toContain('remove-unused-files');
    });

    test('removes what was uploaded and never sent, some while after it expired', async () => {
      const [old, recent, announced] = [
        await upload(acme.api, 'old'),
        await upload(acme.api, 'recent'),
        (await announce(acme.api)).upload_id,
      ];
      await expire(old, '61 minutes');
      await expire(recent, '50 minutes');
      await expire(announced, '61 minutes');
      await cleanUp();
      expect([await isKnown(old), await isKnown(recent), await isKnown(announced)]).toEqual([false, true, false]);
      expect([(await keptOf(old)).length, (await keptOf(recent)).length]).toEqual([0, 1]);
    });

    test('removes parts that were never completed, and what was completed but never sent', async () => {
      const before = await service.kept();
      const inParts = async () => {
        const { body } = await acme.api.write('POST', '/uploads', { ...announcement(), parts: true });
        const { parts } = (await acme.api.write('POST', `/uploads/${body.upload_id}/parts`, { numbers: [1] })).body;
        expect((await put({ upload_url: parts[0].url, headers: parts[0].headers }, 'hello')).status).toBe(200);
        return body.upload_id as string;
      };
      const [unfinished, unsent, wasSent, young] = [await inParts(), await inParts(), await inParts(), await inParts()];
      for (const id of [unsent, wasSent]) expect((await acme.api.request('POST', `/v1/uploads/${id}/complete`)).status).toBe(200);
      const { files } = await send(wasSent);
      for (const id of [unfinished, unsent, wasSent]) await expire(id, '61 minutes');
      await cleanUp();
      expect((await download(files[0].download_url)).bytes.toString()).toBe('hello');
      expect((await acme.api.get(`/uploads/${young}`)).body.arrived_parts).toEqual([1]);
      await expire(young, '61 minutes');
      await cleanUp();
      expect(await service.kept()).toEqual([...before, `objects/${parseId('upl', wasSent)}`].toSorted());
    });

    test('removes what a refused message had taken hold of', async () => {
      const [whole, missing] = [await upload(acme.api, 'whole'), await announce(acme.api)];
      expect((await acme.api.send({ to: 'globex', files: [whole, missing.upload_id] })).status).toBe(400);
      const object = await service.objectOf(whole);
      expect(await keptOf(whole)).toEqual([`objects/${object}`]);
      await expire(whole, '61 minutes');
      await cleanUp();
      expect(await keptWith(parseId('upl', whole), object)).toEqual([]);
    });

    test('leaves what a refused message had taken hold of while it can still be sent', async () => {
      const [whole, missing] = [await upload(acme.api, 'whole'), await announce(acme.api)];
      expect((await acme.api.send({ to: 'globex', files: [whole, missing.upload_id] })).status).toBe(400);
      await service.age(`objects/${await service.objectOf(whole)}`, 49);
      await cleanUp();
      const { files } = await send(whole);
      expect((await download(files[0].download_url)).bytes.toString()).toBe('whole');
    });

    if (place === 'bucket')
      test('removes the copies of processes that died: the last one with its upload, the others two days later', async () => {
        const id = await upload(acme.api, 'never sent');
        const [earlier, last] = [newUuid(), newUuid()];
        for (const copy of [earlier, last]) {
          expect(await service.objects.seal(parseId('upl', id) ?? '', copy)).toBe(10);
          await service.sql('UPDATE uploads SET object_id = $2 WHERE id = $1', [parseId('upl', id), copy]);
        }
        await expire(id, '61 minutes');
        await cleanUp();
        expect(await keptWith(parseId('upl', id), earlier, last)).toEqual([`objects/${earlier}`]);
        await service.age(`objects/${earlier}`, 49);
        await cleanUp();
        expect(await keptWith(earlier)).toEqual([]);
      });

    test('leaves what a message refers to, however old', async () => {
      const id = await upload(acme.api, 'sent');
      const { id: messageId } = await send(id);
      await expire(id, '10 days');
      await service.age(`objects/${await service.objectOf(id)}`, 1_000);
      await cleanUp();
      expect(await isKnown(id)).toBe(false);
      const { files } = (await globex.api.get(`/messages/${messageId}`)).body;
      expect((await download(files[0].download_url)).bytes.toString()).toBe('sent');
      await cleanUp();
      expect((await download(files[0].download_url)).bytes.toString()).toBe('sent');
    });

    test('removes what was PUT after the message was sent, and leaves what was sent', async () => {
      const ticket = await announce(acme.api, { content_type: 'text/plain' });
      await put(ticket, 'first');
      // A PUT that had begun earlier succeeds even where a later one is refused.
      const late = new PassThrough();
      late.write('ag');
      const putting = putStream(ticket.upload_url, { 'content-type': 'text/plain', 'content-length': 5 }, late);
      await sleep(50);
      const { files } = await send(ticket.upload_id);
      late.end('ain');
      expect((await putting).status).toBe(200);
      expect(await keptOf(ticket.upload_id)).toHaveLength(2);
      const object = await service.objectOf(ticket.upload_id);
      await expire(ticket.upload_id, '61 minutes');
      await cleanUp();
      expect(await keptWith(parseId('upl', ticket.upload_id), object)).toEqual([`objects/${object}`]);
      expect((await download(files[0].download_url)).bytes.toString()).toBe('first');
    });

    test('leaves uploads that can still be sent', async () => {
      const id = await upload(acme.api, 'hello');
      await service.age(`uploads/${parseId('upl', id)}`, 1_000);
      await cleanUp();
      expect((await send(id)).files[0].size_bytes).toBe(5);
    });

    test('removes bytes that belong to nothing once they are two days old', async () => {
      const [old, young] = [await orphan(49), await orphan(47)];
      const stray = newUuid();
      const ticket = await service.objects.uploadTicket(stray, {
        sizeBytes: 1,
        contentType: 'a/b',
        expiresAt: new Date(Date.now() + 60_000),
      });
      await put({ upload_url: ticket.url, headers: ticket.headers }, 'x');
      await service.age(`uploads/${stray}`, 49);
      await cleanUp();
      const kept = await service.kept();
      expect(kept).toContain(young);
      expect(kept).not.toContain(old);
      expect(kept).not.toContain(`uploads/${stray}`);
    });

    // Checks them one by one, which takes too long on a bucket. Another test covers buckets.
    if (place === 'folder')
      test('removes more of them than it takes at once', async () => {
        const before = await service.kept();
        await Promise.all(Array.from({ length: 501 }, () => orphan(49)));
        await cleanUp();
        expect(await service.kept()).toEqual(before);
      });

    test('finds it fine when there is nothing to do, and when it is done twice at once', async () => {
      const before = await service.kept();
      await orphan(49);
      await Promise.all([cleanUp(), cleanUp()]);
      await cleanUp();
      expect(await service.kept()).toEqual(before);
    });
  });
});
