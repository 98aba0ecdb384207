import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { inclusionProof, leafHash, leafOf, leafOfStatement, verifyInclusion } from '@waybill/proof';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MB } from '../../src/contract/limits.ts';
import { LogReader } from '../support/log.ts';
import { runProgram, until } from '../support/process.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { announce, putStream, someBytes } from '../support/transfer.ts';

let service: TestService;
let acme: TestBusiness;
let log: LogReader;
beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  await service.business('globex');
  log = new LogReader(service.url);
});
afterAll(() => service.stop());

const hashOf = (body: { content_hash: string }) => body.content_hash;

describe('the log', () => {
  test('has a leaf for each delivered message, once, in a signed checkpoint', async () => {
    const sent = await Promise.all(Array.from({ length: 600 }, (_, n) => acme.api.send({ to: 'globex', json: { n } })));
    const hashes = sent.map(({ body }) => hashOf(body));
    const leaves = await log.until(hashes);
    for (const hash of hashes) expect(leaves.filter((leaf) => leaf === Buffer.from(leafOf(1, hash)).toString('hex'))).toHaveLength(1);
  });

  test('serves tiles from which a proof can be computed', async () => {
    const { body } = await acme.api.send({ to: 'globex', json: 'proof' });
    const leaves = await log.until([hashOf(body)]);
    const checkpoint = await log.checkpoint();
    const leaf = leafOf(1, hashOf(body));
    const index = leaves.indexOf(Buffer.from(leaf).toString('hex'));
    if (!checkpoint) throw new Error('no checkpoint');
    const proof = await inclusionProof(index, checkpoint.size, (...tile) => log.tile(...tile));
    expect(verifyInclusion({ index, size: checkpoint.size, root: checkpoint.root }, leafHash(leaf), proof)).toBe(true);
    expect(verifyInclusion({ index: index - 1, size: checkpoint.size, root: checkpoint.root }, leafHash(leaf), proof)).toBe(false);
  });
});

describe('what the public gets of the log', () => {
  test('is nothing beyond the published checkpoint, and nothing under other paths', async () => {
    const checkpoint = await log.checkpoint();
    const size = checkpoint?.size ?? 0;
    const status = async (path: string) => (await fetch(service.url + path)).status;
    expect(await status('/log/tile/0/000')).toBe(200);
    expect(await status(`/log/tile/0/${String(Math.floor(size / 256)).padStart(3, '0')}`)).toBe(404);
    for (const path of ['/log/tile/0/000.p/0', '/log/tile/0/000.p/256', '/log/tile/0/0', '/log/tile/07/000', '/log/tile/entries/x000/000'])
      expect(await status(path), path).toBe(404);
    for (const path of [
      '/log/1/checkpoint',
      '/log/2/checkpoint',
      '/log/2/tile/0/000',
      '/log/x/checkpoint',
      '/log/tile/',
      '/log/%00/checkpoint',
    ])
      expect([400, 404], path).toContain(await status(path));
  });

  test('can be cached: tiles for ever, the checkpoint for a moment', async () => {
    const tile = await fetch(`${service.url}/log/tile/0/000`);
    expect(tile.headers.get('content-type')).toBe('application/octet-stream');
    expect(tile.headers.get('cache-control')).toContain('immutable');
    const checkpoint = await fetch(`${service.url}/log/checkpoint`);
    expect(checkpoint.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(checkpoint.headers.get('cache-control')).toContain('max-age=1');
  });

  test('is only its name and key with LOG_PUBLIC=false', async () => {
    const hidden = await service.sibling({ LOG_PUBLIC: 'false' });
    expect((await fetch(`${hidden.url}/log/checkpoint`)).status).toBe(404);
    expect((await fetch(`${hidden.url}/log/tile/0/000`)).status).toBe(404);
    expect((await fetch(`${hidden.url}/log/tile/entries/000`)).status).toBe(404);
    expect((await new LogReader(hidden.url).wellKnown()).log.vkey).toBe((await log.wellKnown()).log.vkey);
    await hidden.stop();
  });
});

test('messages that are older than the log get their leaves by a command, once', async () => {
  const { body } = await acme.api.send({ to: 'globex', json: 'older' });
  await log.until([hashOf(body)]);
  // A message from before the log has no leaf.
  await service.sql('UPDATE messages SET log_batch = NULL, log_slot = NULL, content_hash = sha256(content_hash) WHERE content_hash = $1', [
    Buffer.from(hashOf(body).slice('sha256:'.length), 'hex'),
  ]);
  const add = async () =>
    JSON.parse((await runProgram('cli', { env: { DATABASE_URL: service.databaseUrl }, args: ['log', 'add-older', '--json'] })).stdout);
  expect(await add()).toEqual({ added: 1 });
  expect(await add()).toEqual({ added: 0 });
  const again = `sha256:${createHash('sha256')
    .update(Buffer.from(hashOf(body).slice(7), 'hex'))
    .digest('hex')}`;
  await log.until([again]);
});

test('a large file that is hashed after delivery gets a leaf that binds it to its message', async () => {
  const size = 101 * MB;
  const { upload_id, upload_url, headers } = await announce(acme.api, { size_bytes: size });
  const [chunk, hash] = [someBytes(MB), createHash('sha256')];
  const chunks = Array.from({ length: 101 }, () => chunk);
  for (const piece of chunks) hash.update(piece);
  expect((await putStream(upload_url, { ...headers, 'content-length': size }, Readable.from(chunks))).status).toBe(200);
  const { body } = await acme.api.send({ to: 'globex', files: [upload_id] });
  expect(body.files[0].sha256).toBeNull();
  const statement = `{"file":"${body.files[0].id}","message":"${body.id}","sha256":"sha256:${hash.digest('hex')}","size_bytes":${size}}`;
  const leaf = Buffer.from(leafOfStatement(2, statement)).toString('hex');
  await until(async () => (await log.until([])).includes(leaf));
});
