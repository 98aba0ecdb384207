import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid, parseId } from '../../src/contract/ids.ts';
import { MB } from '../../src/contract/limits.ts';
import { type FileService, places, startFileService } from '../support/file-service.ts';
import { expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';
import { announce, download, put, sha256Of, someBytes, upload } from '../support/transfer.ts';

const LARGE_BYTES = 40 * MB;

describe.each(places)('the hash of an upload, with files in a %s', (place) => {
  let service: FileService;
  let acme: TestBusiness;

  beforeAll(async () => {
    service = await startFileService(place);
    acme = await service.business('acme');
    await service.business('globex');
  });
  afterAll(() => service.stop());

  const send = (files: string[], at = service.url) => acme.api.at(at).send({ to: 'globex', files });

  const isHashed = async (id: string) =>
    (await service.sql('SELECT FROM uploads WHERE id = $1 AND sha256 IS NOT NULL', [parseId('upl', id)])).length > 0;

  test('is not computed for a message that is refused', async () => {
    const fresh = await service.business('fresh', { claimed: true });
    const closed = await service.business('closed');
    const block = (await closed.api.write('POST', '/blocks', { handle: 'fresh' })).body;
    const id = await upload(fresh.api, someBytes(1_000));
    const sendTo = (to: string, more: string[] = []) => fresh.api.send({ to, files: [id, ...more] });
    expectRefusal(await sendTo('nobody-here'), 'unknown_recipient');
    expectRefusal(await sendTo('globex', [(await announce(fresh.api)).upload_id]), 'upload_incomplete');
    expectRefusal(await sendTo('closed'), 'sender_blocked');
    expect((await fresh.api.send({ to: 'globex', note: 'one' })).status).toBe(201);
    const limited = await service.sibling({ MONTHLY_MESSAGE_LIMIT: '1' });
    const limitedDaily = await service.sibling({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '1' });
    for (const { url } of [limited, limitedDaily])
      expectRefusal(await fresh.api.at(url).send({ to: 'globex', files: [id] }), 'quota_exceeded');
    await limited.stop();
    await limitedDaily.stop();
    expect(await isHashed(id)).toBe(false);
    await closed.api.request('DELETE', `/v1/blocks/${block.id}`);
    expect((await sendTo('closed')).status).toBe(201);
    expect(await isHashed(id)).toBe(true);
  });

  test('is found out once', async () => {
    const bytes = someBytes(1_000);
    const id = await upload(acme.api, bytes);
    expect((await send([id])).status).toBe(201);
    // The bytes are gone, so a second read would fail.
    await service.objects.remove(await service.objectOf(id));
    expect((await send([id])).body.files[0].sha256).toBe(sha256Of(bytes));
  });

  test('is the same for all who send it at once, from two processes', async () => {
    const bytes = someBytes(MB);
    const id = await upload(acme.api, bytes);
    const other = await service.sibling();
    try {
      const responses = await Promise.all(Array.from({ length: 20 }, (_, i) => send([id], i % 2 ? other.url : service.url)));
      expect(new Set(responses.map(({ body }) => body.files?.[0].sha256))).toEqual(new Set([sha256Of(bytes)]));
    } finally {
      await other.stop();
    }
  });

  const lease = (id: string, until: string, objectId: string | null = null) =>
    service.sql('UPDATE uploads SET sealing_until = now() + $2::interval, object_id = $3 WHERE id = $1', [
      parseId('upl', id),
      until,
      objectId,
    ]);

  test('waits for a process that seals the upload no longer than its lease', async () => {
    const bytes = someBytes(10);
    const id = await upload(acme.api, bytes);
    await lease(id, '1 hour');
    // In a folder any process may seal the upload, but a bucket may still be copying.
    if (place === 'bucket') {
      const response = await send([id]);
      expectRefusal(response, 'unavailable');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(3_500);
      await lease(id, '-1 second');
    }
    expect((await send([id])).body.files[0].sha256).toBe(sha256Of(bytes));
  });

  if (place === 'bucket') {
    test.each(['1 hour', '-1 second'])(
      'is that of the copy that a process completed before it died, with a lease of %s left',
      async (left) => {
        const bytes = someBytes(10);
        const id = await upload(acme.api, bytes);
        const copy = newUuid();
        await lease(id, left, copy);
        await service.objects.seal(parseId('upl', id) ?? '', copy);
        expect((await send([id])).body.files[0].sha256).toBe(sha256Of(bytes));
        expect(await service.objectOf(id)).toBe(copy);
        expect((await service.kept()).filter((name) => name.includes(parseId('upl', id) ?? ''))).toEqual([]);
      },
    );

    test('is that of the copy that was recorded first, if two processes copy at once and the upload is PUT again in between', async () => {
      const before = await service.kept();
      const other = await service.sibling();
      try {
        for (let round = 0; round < 4; round++) {
          // Large enough that the bucket takes a while to copy them.
          const [first, again] = [someBytes(2 * MB), someBytes(2 * MB)];
          const ticket = await announce(acme.api, { size_bytes: 2 * MB });
          expect((await put(ticket, first)).status).toBe(200);
          const sending = send([ticket.upload_id]);
          await sleep(round * 60);
          expect((await put(ticket, again)).status).toBe(200);
          await service.sql("UPDATE uploads SET sealing_until = now() - interval '1 second' WHERE sealing_until IS NOT NULL AND id = $1", [
            parseId('upl', ticket.upload_id),
          ]);
          const responses = [await send([ticket.upload_id], other.url), await sending, await send([ticket.upload_id])];
          const sent = responses.filter(({ status }) => status === 201).map(({ body }) => body.files[0]);
          expect(sent.length).toBeGreaterThanOrEqual(2);
          const hashes = new Set(sent.map(({ sha256 }) => sha256));
          expect(hashes.size).toBe(1);
          expect([sha256Of(first), sha256Of(again)]).toContain(sent[0].sha256);
          for (const { download_url } of sent) expect(hashes).toContain(sha256Of((await download(download_url)).bytes));
          const object = `objects/${await service.objectOf(ticket.upload_id)}`;
          const left = (await service.kept()).filter(
            (name) => !before.includes(name) && name !== `uploads/${parseId('upl', ticket.upload_id)}`,
          );
          expect(left).toEqual([object]);
          before.push(object, `uploads/${parseId('upl', ticket.upload_id)}`);
        }
      } finally {
        await other.stop();
      }
    });
  }

  // The service runs in this process, so its reads from a folder can be counted.
  if (place === 'folder')
    test('is computed once for all who send it at once', async () => {
      const id = await upload(acme.api, someBytes(LARGE_BYTES));
      const bytesRead = () => Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
      const before = bytesRead();
      const responses = await Promise.all(Array.from({ length: 10 }, () => send([id])));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
      expect(bytesRead() - before).toBeLessThan(2.5 * LARGE_BYTES);
    });
});
