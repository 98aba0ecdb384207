import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type BundleStatement,
  type Check,
  formatBundle,
  LEAF,
  leafOf,
  ProofError,
  parseBundle,
  parsePolicy,
  policyOf,
  verifyBundle,
  verifyProof,
} from '../src/index.ts';
import { bundleOf } from './support/sample.ts';
import { publicKeyOf, said } from './support/sample-message.ts';
import { type Forgery, KEPT, storedStamps, VECTORS, type Vector, vectorFiles, writeVectors } from './support/vectors.ts';

const read = (name: string) => readFileSync(path.join(VECTORS, name), 'utf8');
if (process.env['UPDATE_VECTORS']) await writeVectors();
const tsaCertificates = () => [read('tsa-root.pem'), read('tsa-root-of-0.2.pem')];
const vectors: Vector[] = JSON.parse(read('vectors.json'));
const forgeries: Forgery[] = JSON.parse(read('forgeries/forgeries.json'));
const optionsOf = ({ trust, given }: Vector) => ({
  tsaCertificates: tsaCertificates(),
  senderKeys: given?.sender_keys,
  recipientKeys: given?.recipient_keys,
  authorities: given?.authorities,
  ...(trust === 'policy' && { policy: read('policy.txt') }),
  ...(trust === 'vkey' && { vkeys: [read('vkey.txt').trim()] }),
});

test('the vectors are those that the script makes', async () => {
  const files = await vectorFiles(storedStamps());
  for (const [name, text] of files)
    expect(read(name), `${name}: run UPDATE_VECTORS=1 npx vitest run packages/proof/test/vectors.test.ts`).toBe(text);
  const found = readdirSync(VECTORS, { recursive: true }).filter((name) => name !== 'forgeries');
  expect(found.sort()).toEqual([...files.keys(), ...KEPT].sort());
});

/** The parts that fail, each with its reasons. */
function failuresIn(checks: readonly Check[]): string[] {
  const failures = checks.flatMap((check) => (check.state === 'failed' ? [`${check.part} ${check.reason}`] : []));
  return [...new Set(failures)].sort();
}

describe('the verdict', () => {
  test.each(vectors.map((vector) => ({ ...vector })))('of $name is as expected', async (vector) => {
    const text = readFileSync(path.join(VECTORS, vector.file));
    if (vector.verdict === 'unusable') {
      await expect(verifyBundle(text, optionsOf(vector))).rejects.toThrow(ProofError);
      return;
    }
    const report = await verifyBundle(text, optionsOf(vector));
    expect(failuresIn(report.checks), JSON.stringify(report.checks, null, 1)).toEqual([]);
    expect(report.verdict).toBe(vector.verdict);
  });

  test.each(forgeries.map((forgery) => ({ ...forgery })))('of the forgery $name gives the reason', async (forgery) => {
    const text = readFileSync(path.join(VECTORS, 'forgeries', forgery.file));
    const report = await verifyBundle(text, optionsOf(forgery));
    const expected = forgery.failed.map(({ part, reason }) => `${part} ${reason}`);
    expect(failuresIn(report.checks), JSON.stringify(report.checks, null, 1)).toEqual(expected.sort());
    expect(report.verdict).toBe('failed');
  });

  test('of messages that were signed as before leaves open what is not covered', async () => {
    const signatures = async (name: string) => {
      const { checks } = await verifyBundle(read(`${name}.waybill-proof`), { policy: read('policy.txt') });
      return checks.filter(({ part }) => part === 'signature' || part === 'acknowledgement').map(({ state, text }) => `${state}: ${text}`);
    };
    for (const name of ['good-signed-as-before', 'good-from-before-numbers', 'good-from-0.2-everything']) {
      const [sent, ...acknowledged] = await signatures(name);
      expect(sent, name).toMatch(/^unchecked: .*Not covered: the service, a nonce, the recipient, the files\.$/);
      expect(acknowledged.length, name).toBeGreaterThan(0);
      for (const one of acknowledged) expect(one, name).toMatch(/^unchecked: .*Not covered: the content, the service, a nonce\.$/);
    }
    expect((await signatures('good-everything')).filter((line) => !line.startsWith('verified'))).toEqual([]);
  });

  test('of what nobody but the service says leaves it open', async () => {
    const told = async (name: string) => {
      const { verdict, checks, evidence } = await verifyBundle(read(`${name}.waybill-proof`), { policy: read('policy.txt') });
      const lines = checks.filter(({ part }) => ['hand-over', 'acknowledgement', 'expiry'].includes(part));
      return {
        verdict,
        lines: lines.map(({ part, state }) => `${part} ${state}`),
        texts: lines.map(({ text }) => text),
        steps: evidence.steps,
      };
    };
    const [handOver, verified, unchecked] = ['hand-over unchecked', 'acknowledgement verified', 'acknowledgement unchecked'];
    const signed = await told('good-everything');
    expect(signed).toMatchObject({ verdict: 'verified', lines: [handOver, verified, verified] });
    expect(signed.steps.map(({ isRecipient }) => isRecipient)).toEqual([true, true, true]);
    const unsigned = await told('good-acknowledged-without-a-signature');
    expect(unsigned).toMatchObject({ verdict: 'verified', lines: [handOver, unchecked, unchecked] });
    expect(unsigned.texts.at(-1)).toMatch(/not signed: the service’s word\.$/);
    for (const name of ['good-acknowledged-for-a-mailbox', 'good-acknowledged-for-a-domain']) {
      const joined = await told(name);
      expect(joined, name).toMatchObject({ verdict: 'verified', lines: [handOver, unchecked, unchecked] });
      expect(joined.texts.at(-1), name).toMatch(/signed with sgk_0+2\. That this is \w+ \(\S*globex\.example\) is the service’s word\.$/);
      expect(joined.steps.map(({ isRecipient }) => isRecipient)).toEqual([false, false, false]);
    }
    expect(await told('good-expired')).toMatchObject({ verdict: 'verified', lines: ['expiry unchecked'] });
  });

  test('tells whose key it was by the keys that you give, and refuses what is no key', async () => {
    const text = read('good-everything.waybill-proof');
    const options = { policy: read('policy.txt'), tsaCertificates: tsaCertificates() };
    const keys = { senderKeys: ['sgk_00000000000000000000000001'], recipientKeys: [publicKeyOf('recipient')] };
    const { checks, signers } = await verifyBundle(text, { ...options, ...keys });
    expect(checks.filter(({ part }) => part === 'key').map(({ state }) => state)).toEqual(['verified', 'verified', 'verified']);
    expect(signers).toMatchObject([
      { role: 'sender', publicKey: publicKeyOf('sender'), origin: 'waybill.example.com/log/1' },
      { role: 'recipient', publicKey: publicKeyOf('recipient'), origin: 'waybill.example.com/log' },
    ]);
    for (const key of ['', 'sgk_', 'AAAA', publicKeyOf('sender').replace('=', '')])
      await expect(verifyBundle(text, { ...options, senderKeys: [key] }), key).rejects.toThrow(ProofError);
  });

  test('of a proof with a time limit, a revocation, or witnesses that came late says so', async () => {
    const textOf = async (name: string, part: string) => {
      const { checks } = await verifyBundle(read(`${name}.waybill-proof`), { policy: read('policy.txt') });
      return checks.filter((check) => check.part === part).map(({ state, text }) => `${state}: ${text}`);
    };
    expect(await textOf('good-expired', 'expiry')).toEqual([expect.stringMatching(/^unchecked: Nobody at Globex.*took the message by/)]);
    expect(await textOf('good-key-revoked-later', 'key')).toContainEqual(
      expect.stringContaining('was revoked at 2026-11-17T09:00:01.800Z'),
    );
    expect(await textOf('good-everything', 'time')).toContainEqual(expect.stringMatching(/^verified: .*at most 10 minutes after/));
    const [late] = await textOf('good-seen-by-witnesses-an-hour-later', 'time');
    expect(late).toMatch(/^unchecked: .*at 2026-11-17T10:00:02.000Z\. That it was received earlier .* is the service’s word\.$/);
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
      'key unchecked',
      'hand-over unchecked',
      'acknowledgement verified',
      'acknowledgement verified',
      'chain verified',
      'key unchecked',
      'key verified',
      'time verified',
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
    expect(checks.filter(({ part }) => part === 'time')).toMatchObject([
      { state: 'unchecked', text: expect.stringContaining('no certificate by which to trust this authority') },
      { state: 'verified', text: expect.stringMatching(/^(north|south) says/) },
    ]);
  });

  test('of a timestamp from before the message is bad, no matter who made it', async () => {
    for (const tsa of [tsaCertificates(), []]) {
      const name = 'forgeries/timestamp-before-the-message.waybill-proof';
      const { checks } = await verifyBundle(read(name), { policy: read('policy.txt'), tsaCertificates: tsa });
      expect(checks.at(-2)).toMatchObject({
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

  test('a bundle is refused, or less of it is verified', async () => {
    const bundle = parseBundle(read('good-everything.waybill-proof'));
    // A timestamp needs no witnesses: without its name, the line of one is ignored.
    for (const one of bundle.timestamps ?? []) one.proof = one.proof.replaceAll(/— witness.*\n/g, '');
    const bytes = new TextEncoder().encode(formatBundle(bundle));
    const options = { policy: read('policy.txt'), tsaCertificates: tsaCertificates() };
    const verifiedIn = async (one: Uint8Array) => {
      const { verdict, checks } = await verifyBundle(one, options);
      return verdict === 'verified' ? checks.filter(({ state }) => state === 'verified').length : 0;
    };
    const whole = await verifiedIn(bytes);
    expect(await acceptedFlips(bytes, async (flipped) => (await verifiedIn(flipped)) === whole)).toEqual([]);
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
    const words = said();
    words.sent.body = `{"to":"globex","json":${'['.repeat(500_000)}${']'.repeat(500_000)}}`;
    const hostile = formatBundle(await bundleOf(words, async () => ({ token: 'A'.repeat(4_000_000) })));
    const { checks, verdict } = await verifyBundle(hostile, { policy: read('policy.txt') });
    expect(verdict).toBe('failed');
    expect(checks.filter(({ state }) => state === 'failed').map(({ part }) => part)).toEqual(['signature', 'time']);
  });

  test('a bundle with more than it may have is refused', async () => {
    const bundle = await bundleOf(said());
    const [handOver] = bundle.hand_overs ?? [];
    if (!handOver) throw new Error('the sample has a hand-over');
    expect(() => formatBundle({ ...bundle, successions: Array<string>(101).fill('a') })).toThrow('at most 100');
    expect(() => formatBundle({ ...bundle, hand_overs: Array<BundleStatement>(901).fill(handOver) })).toThrow('at most 900');
    const { checks } = await verifyBundle(formatBundle({ ...bundle, hand_overs: Array<BundleStatement>(900).fill(handOver) }), {
      policy: read('policy.txt'),
    });
    expect(failuresIn(checks)).toEqual(['chain chain-repeat']);
    const broken = await verifyBundle(formatBundle({ ...bundle, successions: ['a'] }), { policy: read('policy.txt') });
    expect(failuresIn(broken.checks)).toEqual(['log malformed']);
  });

  test('a bundle of another size or encoding is refused', () => {
    expect(() => parseBundle(new Uint8Array(9_000_000))).toThrow('larger');
    expect(() => parseBundle(Uint8Array.of(0xff))).toThrow('UTF-8');
    expect(() => parseBundle(`${'['.repeat(1_000_000)}`)).toThrow('canonical');
    expect(() => parseBundle(`{"format":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)).toThrow(ProofError);
  });
});
