import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { formatBundle, LEAF, leafOf, ProofError, parseBundle, parsePolicy, policyOf, verifyBundle, verifyProof } from '../src/index.ts';
import { bundleOf, said } from './support/sample.ts';
import { keptStamps, MADE, VECTORS, type Vector, vectorFiles, writeVectors } from './support/vectors.ts';

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
  const files = await vectorFiles(keptStamps());
  for (const [name, text] of files)
    expect(read(name), `${name}: run UPDATE_VECTORS=1 npx vitest run packages/proof/test/vectors.test.ts`).toBe(text);
  expect(readdirSync(VECTORS).sort()).toEqual([...files.keys(), 'README.md', 'timestamps.json', 'tsa-root.pem'].sort());
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
    expect(report.verdict).toBe(vector.verdict);
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
      verdict: 'verified',
      envelope: { id: expect.stringContaining('msg_'), subject: 'Order 4711' },
      contentHash: hashOf('envelope.json'),
    });
    const wrong = await verifyBundle(read('good-everything.waybill-proof'), {
      policy: read('policy.txt'),
      json: '{}',
      files: [{ name: 'a', sha256: `sha256:${'0'.repeat(64)}` }],
    });
    expect(wrong.checks.filter(({ state }) => state === 'failed').map(({ part }) => part)).toEqual(['json', 'file']);
    await expect(verifyBundle(read('good-everything.waybill-proof'), { json: '{' })).rejects.toThrow(ProofError);
  });

  test('of a file that brings its own key verifies nothing', async () => {
    for (const name of ['untrusted-forged', 'untrusted-everything', 'good-everything']) {
      const { verdict, checks } = await verifyBundle(read(`${name}.waybill-proof`), { tsaCertificates: tsaCertificates() });
      expect([verdict, ...new Set(checks.map(({ state }) => state))], name).toEqual(['untrusted', 'unchecked']);
    }
    // A policy with witnesses but without a log trusts nobody to say what is in a log.
    const witnessesAlone = read('policy.txt').replaceAll(/^log .*\n/gm, '');
    expect((await verifyBundle(read('good-everything.waybill-proof'), { policy: witnessesAlone })).verdict).toBe('untrusted');
  });

  test.each([
    ['good-timestamp-of-an-unknown-authority', true],
    ['good-everything', false],
  ])('of %s leaves the time open if you do not trust its authority', async (name, isRootGiven) => {
    const tsa = isRootGiven ? tsaCertificates() : [];
    const { verdict, checks } = await verifyBundle(read(`${name}.waybill-proof`), { policy: read('policy.txt'), tsaCertificates: tsa });
    expect(verdict).toBe('verified');
    expect(checks.filter(({ part }) => part === 'time')).toEqual([
      { part: 'time', state: 'unchecked', text: expect.stringContaining('no certificate by which to trust this authority') },
    ]);
  });

  test('of a timestamp from before the message is bad, no matter who made it', async () => {
    for (const tsa of [tsaCertificates(), []]) {
      const name = 'bad-timestamp-before-the-message.waybill-proof';
      const { checks } = await verifyBundle(read(name), { policy: read('policy.txt'), tsaCertificates: tsa });
      expect(checks.at(-1)).toMatchObject({
        part: 'time',
        state: 'failed',
        text: expect.stringContaining('before the message was received'),
      });
    }
  });

  test('of JSON that you give tells text and value apart', async () => {
    const given = async (name: string, json: string) => {
      const { verdict, checks } = await verifyBundle(read(`${name}.waybill-proof`), { policy: read('policy.txt'), json });
      return [verdict, checks.filter(({ part }) => part === 'json').at(-1)?.state];
    };
    const [repeated, older] = ['good-json-with-repeated-keys', 'good-from-before-json-bytes'];
    expect(await given(repeated, '{"a":1,"a":2, "big":10000000000000001}\n')).toEqual(['verified', 'verified']);
    expect(await given(repeated, '{"big":1e16, "a":2}')).toEqual(['verified', 'unchecked']);
    // Others may read another value from these.
    expect(await given(repeated, '{"a":2,"big":10000000000000001}')).toEqual(['failed', 'failed']);
    expect(await given(repeated, '{"a":1,"a":2,"big":10000000000000000}')).toEqual(['failed', 'failed']);
    expect(await given('good-everything', `{"subject":0,${read('order.json').trim().slice(1)}`)).toEqual(['failed', 'failed']);
    expect(await given(repeated, '{"a":1,"big":10000000000000001}')).toEqual(['failed', 'failed']);
    expect(await given(older, read('order.json'))).toEqual(['verified', 'verified']);
    expect(await given(older, JSON.stringify(JSON.parse(read('order.json'))))).toEqual(['verified', 'verified']);
  });

  test('of a message from before json_bytes_sha256 has the hash that it always had', async () => {
    const { contentHash } = await verifyBundle(read('good-from-before-json-bytes.waybill-proof'));
    expect(contentHash).toBe('sha256:0241e62dfbbfdf685761f23900d28c7018472348202b08d211e591ae1ca512d5');
  });
});

describe('with a flipped bit', () => {
  const FLIPS = 10_000;
  /** Flips every bit of a short text, or evenly as many of a longer one as requested. */
  async function acceptedFlips(bytes: Uint8Array, verify: (flipped: Uint8Array) => Promise<boolean>): Promise<string[]> {
    const accepted: string[] = [];
    expect(await verify(bytes)).toBe(true);
    const bits = bytes.length * 8;
    const tryOne = async (round: number) => {
      const bit = (Math.floor((round * bits) / FLIPS) + (round % 8)) % bits;
      // Copied, because slice() of a Buffer shares its bytes.
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
    expect(await acceptedFlips(bytes, async (flipped) => (await verifyBundle(flipped, options)).verdict === 'verified')).toEqual([]);
  });

  test('a bundle without witnesses is found to be inconsistent, even by the key in itself', async () => {
    const bytes = readFileSync(path.join(VECTORS, 'good-not-witnessed.waybill-proof'));
    expect(await acceptedFlips(bytes, async (flipped) => (await verifyBundle(flipped)).verdict === 'untrusted')).toEqual([]);
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
    // Signed correctly, but three times as deep as a recursive function can read.
    const words = { ...said(), sent: `{"to":"globex","json":${'['.repeat(500_000)}${']'.repeat(500_000)}}` };
    const hostile = formatBundle(await bundleOf(words, async () => 'A'.repeat(4_000_000)));
    const { checks, verdict } = await verifyBundle(hostile, { policy: read('policy.txt') });
    expect(verdict).toBe('failed');
    expect(checks.filter(({ state }) => state === 'failed').map(({ part }) => part)).toEqual(['signature', 'time']);
  });

  test('a bundle of another size or encoding is refused', () => {
    expect(() => parseBundle(new Uint8Array(9_000_000))).toThrow('larger');
    expect(() => parseBundle(Uint8Array.of(0xff))).toThrow('UTF-8');
    expect(() => parseBundle(`${'['.repeat(1_000_000)}`)).toThrow('canonical');
    expect(() => parseBundle(`{"format":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)).toThrow(ProofError);
  });
});
