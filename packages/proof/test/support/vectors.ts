import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { canonicalJson } from '@waybill/client';
import { type Bundle, formatBundle } from '../../src/index.ts';
import { Authority } from './authority.ts';
import { bundleOf, forgedBundle, log, policy, said, WRITTEN_JSON, witnesses } from './sample.ts';

/* The vectors of docs/proof/vectors: files with their expected verdicts, for every verifier. */

export const VECTORS = path.resolve(import.meta.dirname, '../../../../docs/proof/vectors');

export interface Vector {
  name: string;
  file: string;
  /** Verified with policy.txt, with the key of the log, or with the file alone. */
  trust: 'policy' | 'vkey' | 'none';
  verdict: 'verified' | 'failed' | 'untrusted' | 'unusable';
  failed: string[];
}

type Words = ReturnType<typeof said>;
interface Made {
  trust?: Vector['trust'];
  verdict?: Vector['verdict'];
  failed?: string[];
  /** The JSON as sent, if it differs from the sample. */
  json?: string;
  /** The timestamp: that of the sample by default, one for this vector, one of an unknown authority, or none. */
  stamp?: 'own' | 'unknown' | 'none';
  /** Changes the statements before they are signed and logged, like a service that lies. */
  say?: (words: Words) => void;
  /** Changes the finished bundle, like a forger. */
  forge?: (bundle: Bundle) => unknown;
  write?: (text: string) => string;
  isWitnessed?: boolean;
}

const sign = (bundle: Bundle) => bundle.signature ?? never();
const acknowledgement = (bundle: Bundle) => bundle.acknowledgements?.[0] ?? never();
const file = (bundle: Bundle) => bundle.files?.[0] ?? never();
const timestamp = (bundle: Bundle) => bundle.timestamps?.[0] ?? never();
function never(): never {
  throw new Error('the sample has everything');
}
/** Replaces a character near the end by the next one of base64, so that the bytes differ and the text stays base64. */
const other = (text: string, fromEnd = 20) => {
  const at = text.length - fromEnd;
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
};
const bad = (...failed: string[]): Made => ({ verdict: 'failed', failed });

export const MADE: Record<string, Made> = {
  'good-everything': { trust: 'policy' },
  'good-everything-by-vkey': { trust: 'vkey', forge: keepOneLog },
  'good-least': { trust: 'vkey', forge: keepLeast },
  'good-without-json': { trust: 'policy', forge: (bundle) => void delete bundle.json },
  'good-not-witnessed': { trust: 'vkey', isWitnessed: false, forge: keepLeast },
  'good-json-with-repeated-keys': { json: '{"a":1,"a":2, "big":10000000000000001}' },
  'good-from-before-json-bytes': { stamp: 'own', say: (words) => (words.envelope.json_bytes_sha256 = undefined) },
  'good-timestamp-of-an-unknown-authority': { stamp: 'unknown' },
  'good-newline-at-the-end': { trust: 'policy', write: (text) => `${text}\n` },
  'bad-envelope-changed': {
    ...bad('inclusion', 'acknowledgement', 'time', 'signature'),
    forge: (bundle) => (bundle.envelope = bundle.envelope.replace('Order 4711', 'Order 4712')),
  },
  'bad-envelope-not-canonical': {
    ...bad('content', 'inclusion'),
    forge: (bundle) => (bundle.envelope = bundle.envelope.replace('":', '": ')),
  },
  'bad-json-changed': { ...bad('json'), forge: (bundle) => (bundle.json = bundle.json?.replace('4711', '4712') ?? never()) },
  'bad-json-of-the-same-value': {
    ...bad('json'),
    forge: (bundle) => (bundle.json = canonicalJson(JSON.parse(bundle.json ?? never()))),
  },
  'bad-json-with-space-around-it': { ...bad('json'), forge: (bundle) => (bundle.json = `${bundle.json} `) },
  'bad-json-hashes-of-two-values': {
    ...bad('json', 'signature'),
    say: (words) => (words.envelope.json_sha256 = `sha256:${'0'.repeat(64)}`),
  },
  'bad-json-from-before-json-bytes': {
    ...bad('json'),
    say: (words) => (words.envelope.json_bytes_sha256 = undefined),
    forge: (bundle) => (bundle.json = WRITTEN_JSON),
  },
  'bad-leaf-of-another-type': { ...bad('inclusion', 'time'), stamp: 'own', say: (words) => (words.messageLeafType = 5) },
  'bad-index': { ...bad('inclusion'), forge: (bundle) => (bundle.proof = bundle.proof.replace('index 20', 'index 21')) },
  'bad-size': { ...bad('inclusion'), forge: (bundle) => (bundle.proof = bundle.proof.replace('\n50\n', '\n51\n')) },
  'bad-proof-too-short': { ...bad('inclusion'), forge: (bundle) => (bundle.proof = bundle.proof.replace(/(index 20\n)[^\n]+\n/, '$1')) },
  'bad-log-signature': {
    ...bad('inclusion'),
    forge: (bundle) => (bundle.proof = bundle.proof.replace(/(— waybill\S+ )(\S+)/, (_all, name, signature) => name + other(signature))),
  },
  'bad-proof-with-extra-data': {
    ...bad('inclusion'),
    forge: (bundle) => (bundle.proof = bundle.proof.replace('index', 'extra YQ==\nindex')),
  },
  'bad-log-that-you-do-not-trust': {
    trust: 'vkey',
    ...bad('inclusion'),
    forge: (bundle) => {
      keepLeast(bundle);
      bundle.proof = bundle.proof.replaceAll(/^— waybill.*$/gm, '— other.example.com/log AAAAAAAA');
    },
  },
  'bad-witness-signature': {
    ...bad('inclusion'),
    forge: (bundle) => (bundle.proof = bundle.proof.replace(/(— witness\S+ )(\S+)/, (_all, name, signature) => name + other(signature))),
  },
  'bad-witness-missing': { ...bad('witnesses'), forge: (bundle) => (bundle.proof = bundle.proof.replace(/— witness.example.net.*\n/, '')) },
  'bad-file-of-another-message': { ...bad('file'), say: (words) => (words.file.message = words.file.message.replace('1', '2')) },
  'bad-file-with-a-hash-already': {
    ...bad('file'),
    say: (words) => {
      words.file.file = words.envelope.files[0]?.id ?? never();
      words.file.size_bytes = words.envelope.files[0]?.size_bytes ?? never();
    },
  },
  'bad-file-hash': {
    ...bad('file'),
    forge: (bundle) => (file(bundle).sha256 = file(bundle).sha256.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))),
  },
  'bad-sender-signature': { ...bad('signature'), forge: (bundle) => (sign(bundle).signature = other(sign(bundle).signature)) },
  'bad-sender-of-another-agent': { ...bad('signature'), say: (words) => (words.senderKey.agent = words.senderKey.agent.replace('1', '3')) },
  'bad-sender-of-another-party': {
    ...bad('signature'),
    say: (words) => (words.senderKey.party = { ...words.senderKey.party, handle: 'initech' }),
  },
  'bad-sender-key-revoked': { ...bad('signature'), say: (words) => (words.senderKey.state = 'revoked') },
  'bad-sender-key-not-in-the-log': {
    ...bad('signature'),
    forge: (bundle) => (sign(bundle).key = sign(bundle).key.replace('2026-01-05', '2026-01-06')),
  },
  'bad-sender-signed-another-subject': {
    ...bad('signature'),
    say: (words) => (words.sent = words.sent.replace('Order 4711', 'Order 4712')),
  },
  'bad-sender-signed-another-json': {
    ...bad('signature'),
    say: (words) => (words.sent = words.sent.replace('"quantity":3', '"quantity":4')),
  },
  'bad-sender-signed-the-same-value': {
    ...bad('signature'),
    say: (words) => (words.sent = words.sent.replace('"order": 4711', '"order":4711')),
  },
  'bad-sender-signed-for-another-recipient': {
    ...bad('signature'),
    say: (words) => (words.sent = words.sent.replace('globex/', 'initech/')),
  },
  'bad-signed-at-another-time': { ...bad('signature', 'acknowledgement'), say: (words) => (words.signedAt -= 86_400) },
  'bad-sender-body-changed': { ...bad('signature'), forge: (bundle) => (sign(bundle).body = sign(bundle).body.replace('{"to"', '{ "to"')) },
  'bad-sender-component-added': { ...bad('signature'), forge: (bundle) => (sign(bundle).components['content-type'] = 'application/json') },
  'bad-sender-covers-too-little': {
    ...bad('signature'),
    forge: (bundle) => (sign(bundle).signature_input = sign(bundle).signature_input.replace('"@path" ', '')),
  },
  'bad-acknowledgement-of-another-message': {
    ...bad('acknowledgement'),
    say: (words) => (words.acknowledgement.message = words.acknowledgement.message.replace('1', '2')),
  },
  'bad-acknowledgement-of-another-content': {
    ...bad('acknowledgement'),
    say: (words) => (words.acknowledgement.content_hash = `sha256:${'0'.repeat(64)}`),
  },
  'bad-acknowledgement-by-somebody-else': {
    ...bad('acknowledgement'),
    say: (words) => (words.acknowledgement.party = { ...words.acknowledgement.party, handle: 'initech' }),
  },
  'bad-acknowledgement-changed': {
    ...bad('acknowledgement'),
    forge: (bundle) => (acknowledgement(bundle).statement = acknowledgement(bundle).statement.replace('accepted', 'rejected')),
  },
  'bad-acknowledgement-signed-otherwise': {
    ...bad('acknowledgement'),
    say: (words) => (words.acknowledged = words.acknowledged.replace('accepted', 'rejected')),
  },
  'bad-acknowledgement-signed-for-another-message': {
    ...bad('acknowledgement'),
    say: (words) => (words.acknowledgePath = words.acknowledgePath.replace('1/', '2/')),
  },
  'bad-timestamp-of-another-checkpoint': { ...bad('time'), forge: (bundle) => (timestamp(bundle).proof = bundle.proof) },
  'bad-timestamp-token': { ...bad('time'), forge: (bundle) => (timestamp(bundle).token = other(timestamp(bundle).token, 1_000)) },
  'bad-timestamp-before-the-message': {
    ...bad('time'),
    stamp: 'own',
    say: (words) => {
      words.envelope.received_at = words.acknowledgement.at = '2099-11-17T09:00:00.123Z';
      words.signedAt = Date.parse(words.envelope.received_at) / 1_000;
    },
  },
  'bad-forged': { trust: 'vkey', ...bad('inclusion'), forge },
  'untrusted-forged': { trust: 'none', verdict: 'untrusted', forge },
  'untrusted-everything': { trust: 'none', verdict: 'untrusted' },
  'unusable-json-with-spaces': { verdict: 'unusable', write: (text) => text.replace('{"', '{ "') },
  'unusable-member-twice': { verdict: 'unusable', write: (text) => text.replace('{"', '{"format":"waybill-proof/1","') },
  'unusable-unknown-member': { verdict: 'unusable', write: (text) => text.replace('"json":', '"jsom":') },
  'unusable-other-format': { verdict: 'unusable', write: (text) => text.replace('waybill-proof/1', 'waybill-proof/2') },
  'unusable-key-id': { verdict: 'unusable', write: (text) => text.replace(/(log\+)([0-9a-f]{8})/, '$100000000') },
  'unusable-two-newlines-at-the-end': { verdict: 'unusable', write: (text) => `${text}\n\n` },
};

/** Keeps the proofs of one log, because keys of one log can't verify those of another. */
function keepOneLog(bundle: Bundle): void {
  for (const name of ['other_logs', 'signature'] as const) delete bundle[name];
}

function keepLeast(bundle: Bundle): void {
  for (const name of ['other_logs', 'signature', 'json', 'files', 'acknowledgements', 'timestamps'] as const) delete bundle[name];
}

async function forge(bundle: Bundle): Promise<void> {
  const forged = await forgedBundle(bundle);
  for (const name of ['other_logs', 'signature', 'files', 'acknowledgements', 'timestamps'] as const) delete bundle[name];
  Object.assign(bundle, forged);
}

/** Returns a token in base64 for the text of a checkpoint, for the vector of that name. */
type Stamps = (name: string, checkpointText: string) => string;

/** Returns the text of all files by name, and the list of them. */
export async function vectorFiles(stamps: Stamps): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const vectors: Vector[] = [];
  for (const [name, made] of Object.entries(MADE)) {
    const words = said(made.json);
    made.say?.(words);
    // Other statements make another tree. It has a token only where the vector is about time.
    const { stamp = made.say || made.json ? 'none' : undefined } = made;
    const bundle = await bundleOf(
      words,
      stamp === 'none' ? undefined : async (text) => stamps(stamp === undefined ? 'sample' : name, text),
      made.isWitnessed === false ? [] : undefined,
    );
    await made.forge?.(bundle);
    const text = formatBundle(bundle);
    files.set(`${name}.waybill-proof`, made.write?.(text) ?? text);
    vectors.push({
      name,
      file: `${name}.waybill-proof`,
      trust: made.trust ?? 'policy',
      verdict: made.verdict ?? 'verified',
      failed: made.failed ?? [],
    });
  }
  const whole = await bundleOf(said());
  files.set('message.tlog-proof', whole.proof);
  files.set('envelope.json', whole.envelope);
  files.set('order.json', WRITTEN_JSON);
  files.set('drawing.txt', 'The drawing of part A-1.\n');
  files.set('policy.txt', policy);
  files.set('vkey.txt', `${log.vkey}\n`);
  files.set('witnesses.txt', witnesses.map(({ vkey }) => `${vkey}\n`).join(''));
  files.set('vectors.json', `${JSON.stringify(vectors, null, 2)}\n`);
  return files;
}

/** Reads the tokens that are stored with the vectors, because each new token has another time. */
export function keptStamps(): Stamps {
  const tokens: Record<string, string> = JSON.parse(readFileSync(path.join(VECTORS, 'timestamps.json'), 'utf8'));
  return (name) => tokens[name] ?? '';
}

/** Writes all files, with tokens of a new authority, and of another one that nobody trusts. */
export async function writeVectors(): Promise<void> {
  const key = ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'];
  const [authority, unknown] = [new Authority({ key, hasChain: true }), new Authority({ key, hasChain: true })];
  const tokens: Record<string, string> = {};
  const files = await vectorFiles((name, text) => {
    const by = MADE[name]?.stamp === 'unknown' ? unknown : authority;
    tokens[name] ??= Buffer.from(by.stamp(new TextEncoder().encode(text))).toString('base64');
    return tokens[name];
  });
  files.set('timestamps.json', `${JSON.stringify(tokens, null, 2)}\n`);
  files.set('tsa-root.pem', authority.root);
  authority.close();
  unknown.close();
  for (const [name, text] of files) writeFileSync(path.join(VECTORS, name), text);
}
