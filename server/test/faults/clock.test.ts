import path from 'node:path';
import { expect, test } from 'vitest';
import { startProcess, temporaryFolder } from '../support/process.ts';
import { startS3Server } from '../support/s3-server.ts';
import { announce, put } from '../support/transfer.ts';

const NODE_OPTIONS = `--import=${path.resolve(import.meta.dirname, '../support/clock-an-hour-ahead.ts')}`;
const MINUTE_MS = 60_000;

test('on a machine whose clock is an hour ahead, files can be uploaded and downloaded', async () => {
  const service = await startProcess({ env: { DATA_DIR: temporaryFolder(), NODE_OPTIONS } });
  const api = service.api('acme/purchasing');
  const upload = await announce(api);
  expect((await put(upload, 'bytes')).status).toBe(200);
  const sent = await api.send({ to: 'globex', files: [upload.upload_id] });
  expect(sent.status, sent.text).toBe(201);
  const download = await fetch(sent.body.files[0].download_url, {
    headers: { authorization: `Bearer ${service.keys['acme/purchasing']}` },
  });
  expect(await download.text()).toBe('bytes');
  await service.stop();
});

test('the URL of an upload to a bucket is signed with the time of the database', async () => {
  const s3 = await startS3Server();
  const service = await startProcess({ env: { DATA_DIR: temporaryFolder(), NODE_OPTIONS, ...s3.env } });
  const upload = await announce(service.api('acme/purchasing'));
  const { searchParams } = new URL(upload.upload_url);
  const signedAt = searchParams.get('X-Amz-Date')?.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5') ?? '';
  expect(Math.abs(Date.parse(signedAt) - Date.now())).toBeLessThan(10 * MINUTE_MS);
  expect(Number(searchParams.get('X-Amz-Expires'))).toBeGreaterThan(1_800);
  expect((await put(upload, 'bytes')).status).toBe(200);
  await service.stop();
  await s3.stop();
});
