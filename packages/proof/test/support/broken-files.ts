import { canonicalJson } from '@waybill/client';
import { type Bundle, formatBundle, formatVkey, KEY_TYPE, parseVkey, signNote, verifierKey } from '../../src/index.ts';
import { keyOf, logSigner } from './keys.ts';
import { keepOneLog, present, signatureIn, timestampIn } from './made.ts';
import { bundleOf, log, ORIGIN } from './sample.ts';
import { hashText, said, type Words } from './sample-message.ts';
import type { Vector } from './vectors.ts';

/* Files that are made to keep a verifier busy, or to exhaust it. Most are nearly as large as a proof may be. */

export interface BrokenFile extends Pick<Vector, 'name' | 'trust' | 'verdict'> {
  text: string;
  failed: readonly string[];
}

const LEVELS = 400_000;
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const noContent = ['content malformed', 'inclusion not-in-the-log'];

async function sample(edit: (bundle: Bundle) => unknown, say: (words: Words) => unknown = () => {}): Promise<string> {
  const words = said();
  say(words);
  const bundle = await bundleOf(words, async () => ({ token: 'AAAA' }));
  delete bundle.timestamps;
  await edit(bundle);
  return formatBundle(bundle);
}

const withEnvelope = (changes: object) => (bundle: Bundle) => {
  bundle.envelope = canonicalJson({ ...JSON.parse(bundle.envelope), ...changes });
};

/** Each key of the log names the next one, and the last the first. */
async function circle(count: number): Promise<string[]> {
  const vkeyAt = (at: number) =>
    at % count === 0 ? log.vkey : formatVkey(verifierKey(ORIGIN, KEY_TYPE.ed25519, keyOf(`key ${at % count}`).publicKey));
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const statement = {
        at: '2026-06-01T08:00:00.000Z',
        log: ORIGIN,
        new_key: vkeyAt(at + 1),
        old_key: vkeyAt(at),
        statement: 'key_succession',
      };
      const { signer } = at === 0 ? log : logSigner(parseVkey(vkeyAt(at)).name, `key ${at}`);
      return signNote(`${canonicalJson(statement)}\n`, [signer]);
    }),
  );
}

/** What each verifier must say of these files. */
export async function brokenFiles(): Promise<BrokenFile[]> {
  const unusable = { trust: 'policy', verdict: 'unusable', failed: [] } as const;
  const failing = (failed: string[]) => ({ trust: 'policy', verdict: 'failed', failed }) as const;
  const unknown = '— other.example.com/log AAAAAAAA\n';
  return [
    { name: 'brackets', ...unusable, text: '['.repeat(8_388_608) },
    { name: 'objects', ...unusable, text: '{"a":'.repeat(1_600_000) },
    { name: 'a deep list', ...unusable, text: nested(4_000_000) },
    { name: 'a byte too much', ...unusable, text: ' '.repeat(8_388_609) },
    { name: 'zeros', ...unusable, text: '\0'.repeat(8_388_608) },
    { name: 'a deep envelope', ...failing(noContent), text: await sample((bundle) => (bundle.envelope = `{"files":${nested(LEVELS)}}`)) },
    {
      name: 'an envelope of 6 MB, beside 900 hand-overs',
      ...failing(noContent),
      text: await sample((bundle) => {
        withEnvelope({ note: 'a'.repeat(6_000_000) })(bundle);
        bundle.hand_overs = Array.from({ length: 900 }, () => present(bundle.hand_overs?.[0]));
      }),
    },
    {
      name: 'a domain of dots',
      ...failing(noContent),
      text: await sample(
        withEnvelope({ to: { party: { display_name: 'Dots', domain: `${'.'.repeat(3_000_000)}@`, kind: 'domain' }, segment: null } }),
      ),
    },
    {
      name: 'a mail address of signs',
      ...failing(noContent),
      text: await sample(
        withEnvelope({ to: { party: { display_name: 'Signs', email: `${'@'.repeat(3_000_000)} `, kind: 'mailbox' }, segment: null } }),
      ),
    },
    {
      name: 'a deep body, signed',
      ...failing(['signature malformed']),
      text: await sample(
        () => {},
        (words) => (words.sent.body = `{"to":"globex","json":${nested(LEVELS)}}`),
      ),
    },
    {
      name: 'a digest of spaces',
      ...failing(['signature malformed']),
      text: await sample((bundle) => (signatureIn(bundle).components['content-digest'] = `sha-256=:AAAA:${' '.repeat(3_000_000)}x`)),
    },
    {
      name: 'many components',
      ...failing(['signature malformed']),
      text: await sample((bundle) => (signatureIn(bundle).signature_input = `(${'"a" '.repeat(1_000_000)}"a")`)),
    },
    {
      name: 'a recipient of plus signs and a newline',
      ...failing(['signature another-recipient']),
      text: await sample(
        () => {},
        (words) => (words.sent.components['waybill-recipient'] = `${'+'.repeat(2_000_000)}%0A@waybill.example.com`),
      ),
    },
    {
      name: 'a number of 6,000,000 digits',
      ...failing(['json another-json']),
      text: await sample((bundle) => (bundle.json = `{"a":${'1'.repeat(6_000_000)}}`)),
    },
    {
      name: 'the JSON of a number of 1,000,000 digits, as hashed',
      ...failing(['json another-json', 'signature malformed']),
      text: await sample(
        (bundle) => (bundle.json = '1'.repeat(1_000_000)),
        (words) => {
          words.envelope.json_bytes_sha256 = hashText('1'.repeat(1_000_000));
          words.sent.body = words.sent.body.replace(words.json, '1'.repeat(1_000_000));
        },
      ),
    },
    {
      name: '150,000 signatures',
      ...failing(['inclusion malformed']),
      text: await sample((bundle) => (bundle.proof += unknown.repeat(150_000))),
    },
    {
      name: 'a path of 150,000 hashes',
      ...failing(['inclusion malformed']),
      text: await sample((bundle) => (bundle.proof = bundle.proof.replace('\n\n', `\n${`${'A'.repeat(43)}=\n`.repeat(150_000)}\n`))),
    },
    {
      name: 'the same hand-over 900 times',
      ...failing(['chain chain-repeat']),
      text: await sample((bundle) => (bundle.hand_overs = Array.from({ length: 900 }, () => present(bundle.hand_overs?.[0])))),
    },
    {
      name: 'a timestamp of 6 MB',
      ...failing(['time malformed']),
      text: formatBundle(
        await bundleOf(said(), async () => ({ token: 'A'.repeat(6_000_000) })).then((bundle) => {
          timestampIn(bundle).proof = bundle.proof;
          return bundle;
        }),
      ),
    },
    {
      name: 'a hundred keys, of which the last names the first',
      trust: 'vkey',
      verdict: 'verified',
      failed: [],
      text: await sample(async (bundle) => {
        keepOneLog(bundle);
        bundle.successions = await circle(100);
      }),
    },
    {
      name: 'a hundred successions by one key',
      trust: 'vkey',
      verdict: 'failed',
      failed: ['log broken-succession'],
      text: await sample(async (bundle) => {
        keepOneLog(bundle);
        const [one = ''] = await circle(2);
        bundle.successions = Array.from({ length: 100 }, () => one);
      }),
    },
  ];
}
