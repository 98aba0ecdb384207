import { inclusionProof, leafHash, leafOf, verifyInclusion } from '@waybill/proof';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LogReader } from '../support/log.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

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
