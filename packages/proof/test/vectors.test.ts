import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { formatBundle, LEAF, leafOf, ProofError, parseBundle, parsePolicy, policyOf, verifyBundle, verifyProof } from '../src/index.ts';
import { bundleOf, said } from './support/sample.ts';
import { keptStamp, MADE, VECTORS, type Vector, vectorFiles, writeVectors } from './support/vectors.ts';

const read = (name: string) => readFileSync(path.join(VECTORS, name), 'utf8');
const tsaCertificates = () => [read('tsa-root.pem')];
const optionsOf = ({ trust }: Vector) => ({
  tsaCertificates: tsaCertificates(),
  ...(trust === 'policy' && { policy: read('policy.txt') }),
  ...(trust === 'vkey' && { vkeys: [read('vkey.txt').trim()] }),
});

beforeAll(async () => {
  if (process.env['UPDATE_VECTORS']) await writeVectors();
});

test('the vectors are those that the script makes', async () => {
  const files = await vectorFiles(keptStamp());
  for (const [name, text] of files)
    expect(read(name), `${name}: run UPDATE_VECTORS=1 npx vitest run packages/proof/test/vectors.test.ts`).toBe(text);
  expect(readdirSync(VECTORS).sort()).toEqual([...files.keys(), 'README.md', 'timestamp.base64', 'tsa-root.pem'].sort());
});

describe('the verdict', () => {
  test.each(Object.keys(MADE))('of %s is as expected', async (name) => {
    const vectors: Vector[] = JSON.parse(read('vectors.json'));
    const vector = vectors.find((one) => one.name === name) as Vector;
    const text = readFileSync(path.join(VECTORS, vector.file));
    if (vector.verdict === 'unusable') {
      await expect(verifyBundle(text, optionsOf(vector))).rejects.toThrow(ProofError);
      return;
    }
    const report = await verifyBundle(text, optionsOf(vector));
    const failed = report.checks.filter(({ state }) => state === 'failed').map(({ part }) => part);
    expect([...new Set(failed)].sort(), JSON.stringify(report.checks, null, 1)).toEqual([...vector.failed].sort());
    expect(report.isVerified).toBe(vector.verdict === 'verified');
    expect(report.isKeyFromFile).toBe(vector.trust === 'none');
  });

  test('of the message with everything has a line for each part', async () => {
    const hashOf = (name: string) => `sha256:${createHash('sha256').update(read(name)).digest('hex')}`;
    const report = await verifyBundle(read('good-everything.waybill-proof'), {
      policy: read('policy.txt'),
      tsaCertificates: tsaCertificates(),
      json: read('order.json'),
      files: [{ name: 'drawing.txt', sha256: hashOf('drawing.txt') }],
    });
    expect(report.checks.map(({ part, state }) => `${part} ${state}`)).toEqual([
      'content verified',
      'inclusion verified',
      'log verified',
      'witnesses verified',
      'json verified',
      'json verified',
      'file verified',
      'file verified',
      'signature verified',
      'acknowledgement verified',
      'time verified',
    ]);
    expect(report).toMatchObject({
      isVerified: true,
      envelope: { id: expect.stringContaining('msg_'), subject: 'Order 4711' },
      contentHash: hashOf('envelope.json'),
    });
    const wrong = await verifyBundle(read('good-everything.waybill-proof'), {
      json: '{}',
      files: [{ name: 'a', sha256: `sha256:${'0'.repeat(64)}` }],
    });
    expect(wrong.checks.filter(({ state }) => state === 'failed').map(({ part }) => part)).toEqual(['json', 'file']);
    expect(wrong.checks.at(-1)?.text).toContain('not checked against a trusted authority');
    await expect(verifyBundle(read('good-everything.waybill-proof'), { json: '{' })).rejects.toThrow(ProofError);
  });
});

describe('with a flipped bit', () => {
  const FLIPS = 10_000;
  /** Every bit of a short text; of a longer one as many as asked for, evenly. */
  async function acceptedFlips(bytes: Uint8Array, verify: (flipped: Uint8Array) => Promise<boolean>): Promise<string[]> {
    const accepted: string[] = [];
    expect(await verify(bytes)).toBe(true);
    const bits = bytes.length * 8;
    const tryOne = async (round: number) => {
      const bit = (Math.floor((round * bits) / FLIPS) + (round % 8)) % bits;
      // A copy: slice() of a Buffer would share its bytes.
      const flipped = Uint8Array.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      try {
        if (await verify(flipped)) accepted.push(`bit ${bit}: ${Buffer.from(bytes.subarray((bit >> 3) - 30, (bit >> 3) + 30)).toString()}`);
      } catch (error) {
        if (!(error instanceof ProofError)) throw error;
      }
    };
    for (let round = 0; round < FLIPS; round += 50) await Promise.all(Array.from({ length: 50 }, (_, at) => tryOne(round + at)));
    return accepted;
  }

  test('a bundle is refused', async () => {
    const bytes = readFileSync(path.join(VECTORS, 'good-everything.waybill-proof'));
    const options = { policy: read('policy.txt'), tsaCertificates: tsaCertificates() };
    expect(await acceptedFlips(bytes, async (flipped) => (await verifyBundle(flipped, options)).isVerified)).toEqual([]);
  });

  test('a bundle without witnesses is refused, even by the key in itself', async () => {
    const bytes = readFileSync(path.join(VECTORS, 'good-not-witnessed.waybill-proof'));
    expect(await acceptedFlips(bytes, async (flipped) => (await verifyBundle(flipped)).isVerified)).toEqual([]);
  });

  test('a tlog-proof is refused', async () => {
    const bytes = readFileSync(path.join(VECTORS, 'message.tlog-proof'));
    const leaf = leafOf(LEAF.message, createHash('sha256').update(read('envelope.json')).digest());
    const policy = parsePolicy(read('policy.txt'));
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const verify = async (flipped: Uint8Array) => {
      let text = '';
      try {
        text = decoder.decode(flipped);
      } catch {
        return false;
      }
      return (await verifyProof(text, leaf, policy)).isQuorum;
    };
    expect(await acceptedFlips(bytes, verify)).toEqual([]);
    expect(await verifyProof(read('message.tlog-proof'), leaf, policyOf(read('vkey.txt').trim()))).toMatchObject({ index: 20 });
  });

  test('a bundle with a huge token, or a signed body of endless levels, is refused and nothing else is thrown', async () => {
    // Signed as it should be, and three times as deep as what a recursive function can read.
    const words = { ...said(), sent: `{"to":"globex","json":${'['.repeat(500_000)}${']'.repeat(500_000)}}` };
    const hostile = formatBundle(await bundleOf(words, async () => 'A'.repeat(4_000_000)));
    const { checks, isVerified } = await verifyBundle(hostile, { policy: read('policy.txt') });
    expect(isVerified).toBe(false);
    expect(checks.filter(({ state }) => state === 'failed').map(({ part }) => part)).toEqual(['signature', 'time']);
  });

  test('a bundle of another size or encoding is refused', () => {
    expect(() => parseBundle(new Uint8Array(9_000_000))).toThrow('larger');
    expect(() => parseBundle(Uint8Array.of(0xff))).toThrow('UTF-8');
    expect(() => parseBundle(`${'['.repeat(1_000_000)}`)).toThrow('canonical');
    expect(() => parseBundle(`{"format":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)).toThrow(ProofError);
  });
});
