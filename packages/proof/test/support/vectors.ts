import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { formatBundle, type Part, type Reason, verifyBundle } from '../../src/index.ts';
import { FORGERIES } from './forgeries.ts';
import { forge, type Given, keepLeast, keepOneLog, type Made, rotate } from './made.ts';
import { bundleOf, log, policy, signedAgain, witnesses } from './sample.ts';
import { asBefore, expire, publicKeyOf, said, signAsBefore, type Words, WRITTEN_JSON } from './sample-message.ts';
import { keptStamps, StampMaker, type Stamps } from './stamps.ts';

/* The vectors of docs/proof/vectors: files with their expected verdicts, for every verifier. */

export const VECTORS = path.resolve(import.meta.dirname, '../../../../docs/proof/vectors');

export interface Vector {
  name: string;
  file: string;
  /** Verified with policy.txt, with the key of the log, or with the file alone. */
  trust: 'policy' | 'vkey' | 'none';
  /** Keys of the parties and names of the service that the verifier is given, too. */
  given?: Given;
  verdict: 'verified' | 'failed' | 'untrusted' | 'unusable';
}

/** A file that must fail. */
export interface Forgery extends Vector {
  /** What the operator, or somebody else, tries, and why it could work. */
  story: string;
  failed: { part: Part; reason: Reason }[];
  /** Only a verifier that checks what a timestamp authority signed finds it. */
  by_authority?: true;
}

export const MADE: Record<string, Made & { verdict?: Vector['verdict'] }> = {
  'good-everything': {},
  'good-everything-by-known-keys': {
    given: { sender_keys: [publicKeyOf('sender')], recipient_keys: [publicKeyOf('recipient')], authorities: ['waybill.example.net'] },
  },
  'good-everything-by-vkey': { trust: 'vkey', forge: keepOneLog },
  'good-least': { trust: 'vkey', forge: keepLeast },
  'good-without-json': { forge: (bundle) => void delete bundle.json },
  'good-not-witnessed': { trust: 'vkey', stamp: 'none', say: (words) => (words.witnesses.newest = 0), forge: keepLeast },
  'good-signed-as-before': { say: signAsBefore },
  'good-from-before-numbers': { say: asBefore },
  'good-reply-to-a-mailbox': { say: replyToMailbox },
  'good-acknowledged-without-a-signature': { say: acknowledgeUnsigned },
  'good-acknowledged-for-a-mailbox': {
    say: (words) => deliverTo(words, { display_name: 'Einkauf', email: 'einkauf@globex.example', kind: 'mailbox' }),
  },
  'good-acknowledged-for-a-domain': {
    say: (words) => deliverTo(words, { display_name: 'Globex', domain: 'globex.example', kind: 'domain' }),
  },
  'good-signed-with-a-member-that-says-nothing': {
    say: (words) => (words.sent.body = words.sent.body.replace('{"to"', '{"expires_at":"2027-01-01T00:00:00.000Z","to"')),
  },
  'good-for-another-name-of-the-service': {
    given: { authorities: ['api.waybill.example:8443'] },
    say: (words) => (words.sent.components['@authority'] = 'api.waybill.example:8443'),
  },
  'good-key-revoked-later': { say: (words) => (words.revocation = { at: '2026-11-17T09:00:01.800Z' }) },
  'good-expired': { say: expire },
  'good-signed-by-both-keys-of-the-log': { stamp: 'own', say: (words) => (words.logKeys.newest = ['first', 'second']) },
  'good-after-a-rotation': { stamp: 'own', say: rotate },
  'good-timestamp-from-before-a-witness': { stamp: 'own', say: (words) => (words.witnesses.timestamped = 1) },
  'good-seen-by-witnesses-an-hour-later': { say: (words) => (words.witnessedAt = '2026-11-17T10:00:02.000Z') },
  'good-json-with-repeated-keys': { json: '{"a":1,"a":2, "big":10000000000000001}' },
  'good-from-before-json-bytes': { stamp: 'own', say: (words) => (words.envelope.json_bytes_sha256 = undefined) },
  'good-timestamp-of-an-unknown-authority': { stamp: 'unknown' },
  'good-timestamp-with-a-list': { stamp: 'listed' },
  'good-timestamp-of-a-certificate-that-was-replaced-later': { stamp: 'superseded' },
  'good-timestamp-renewed': { stamp: 'renewed', say: (words) => (words.timestamp = {}) },
  'good-newline-at-the-end': { write: (text) => `${text}\n` },
  'good-signature-lines-of-unknown-keys': {
    forge: (bundle) => (bundle.proof += '— other.example.com/witness AAAAAAAA\n— other.example.com/witness AAAAAAAA\n'),
  },
  'good-checkpoint-with-extensions': {
    forge: async (bundle) => {
      bundle.proof = await signedAgain(bundle.proof, (body) => `${body}more of a later version\n`);
    },
  },
  'untrusted-forged': { trust: 'none', verdict: 'untrusted', forge },
  'untrusted-everything': { trust: 'none', verdict: 'untrusted' },
  'unusable-json-with-spaces': { verdict: 'unusable', write: (text) => text.replace('{"', '{ "') },
  'unusable-member-twice': { verdict: 'unusable', write: (text) => text.replace('{"', '{"format":"waybill-proof/1","') },
  'unusable-unknown-member': { verdict: 'unusable', write: (text) => text.replace('"json":', '"jsom":') },
  'unusable-other-format': { verdict: 'unusable', write: (text) => text.replace('waybill-proof/1', 'waybill-proof/2') },
  'unusable-key-with-control-characters': {
    verdict: 'unusable',
    write: (text) => text.replace('"vkey":"', '"vkey":"\\u001b[2J'),
  },
  'unusable-key-id': { verdict: 'unusable', write: (text) => text.replace(/(log\+)([0-9a-f]{8})/, '$100000000') },
  'unusable-two-newlines-at-the-end': { verdict: 'unusable', write: (text) => `${text}\n\n` },
};

/** Files of 0.2, the last four from before it knew `json_bytes_sha256`. They are kept as they are. */
const FROM_0_2: Record<string, Vector['trust']> = {
  'good-from-0.2-everything': 'policy',
  'good-from-0.2-everything-by-vkey': 'vkey',
  'good-from-0.2-from-before-json-bytes': 'policy',
  'good-from-0.2-json-with-repeated-keys': 'policy',
  'good-from-0.2-least': 'vkey',
  'good-from-0.2-newline-at-the-end': 'policy',
  'good-from-0.2-not-witnessed': 'vkey',
  'good-from-0.2-timestamp-of-an-unknown-authority': 'policy',
  'good-from-0.2-without-json': 'policy',
  'good-without-json-bytes-from-0.2-everything': 'policy',
  'good-without-json-bytes-from-0.2-everything-by-vkey': 'vkey',
  'good-without-json-bytes-from-0.2-least': 'vkey',
  'good-without-json-bytes-from-0.2-without-json': 'policy',
};

function acknowledgeUnsigned({ chain }: Words): void {
  for (const link of chain) delete link.signed;
}

/** The recipient had no handle when the message was sent: who acknowledges for it is the word of the service. */
function deliverTo(words: Words, party: Words['envelope']['to']['party']): void {
  const address = party.kind === 'mailbox' && 'email' in party ? party.email : 'orders@globex.example';
  words.envelope.to = { party, segment: null };
  words.sent.body = words.sent.body.replace('globex/orders', address);
  words.sent.components['waybill-recipient'] = address;
}

/** The body names the message that is replied to, and the signature the recipient. */
function replyToMailbox(words: Words): void {
  const email = 'Einkauf+übersee@globex.example';
  words.envelope.in_reply_to = 'msg_00000000000000000000000009';
  words.envelope.to = { party: { display_name: 'Einkauf', email, kind: 'mailbox' }, segment: null };
  words.sent.body = words.sent.body.replace('"to":"globex/orders"', '"in_reply_to":"msg_00000000000000000000000009"');
  words.sent.components['waybill-recipient'] = 'einkauf+%C3%BCbersee@globex.example';
}

async function textOf(name: string, made: Made, stamps: Stamps): Promise<string> {
  const words = said(made.json);
  made.say?.(words);
  // Other statements make another tree. It has a token only where the vector is about time.
  const { stamp = made.say || made.json ? 'none' : undefined } = made;
  const bundle = await bundleOf(
    words,
    stamp === 'none' ? undefined : (what, text) => stamps(stamp === undefined ? 'sample' : name, stamp ?? 'own', what, text),
  );
  await made.forge?.(bundle);
  const text = formatBundle(bundle);
  return made.write?.(text) ?? text;
}

/** Returns the text of all files by name, and the lists of them. */
export async function vectorFiles(stamps: Stamps): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const vectors: Vector[] = Object.entries(FROM_0_2).map(([name, trust]) => ({
    name,
    file: `${name}.waybill-proof`,
    trust,
    verdict: 'verified',
  }));
  const forgeries: Forgery[] = [];
  for (const [name, made] of Object.entries(MADE)) {
    const { trust = 'policy', given, verdict = 'verified' } = made;
    files.set(`${name}.waybill-proof`, await textOf(name, made, stamps));
    vectors.push({ name, file: `${name}.waybill-proof`, trust, ...(given && { given }), verdict });
  }
  for (const [name, made] of Object.entries(FORGERIES)) {
    const { trust = 'policy', given, story, fails, byAuthority } = made;
    files.set(`forgeries/${name}.waybill-proof`, await textOf(name, made, stamps));
    const failed = fails.map(([part, reason]) => ({ part, reason }));
    forgeries.push({
      name,
      file: `${name}.waybill-proof`,
      trust,
      ...(given && { given }),
      verdict: 'failed',
      failed,
      ...(byAuthority && { by_authority: byAuthority }),
      story,
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
  files.set('forgeries/README.md', storiesOf(forgeries));
  files.set('forgeries/forgeries.json', `${JSON.stringify(forgeries, null, 2)}\n`);
  return files;
}

/** The list of forgeries for people. */
function storiesOf(forgeries: readonly Forgery[]): string {
  const rows = forgeries.map(({ name, file, story, failed }) => {
    const reasons = failed.map(({ part, reason }) => `${part}: \`${reason}\``).join(', ');
    return `| [${name}](${file}) | ${story} | ${reasons} |`;
  });
  return `# Forgeries

${forgeries.length} files that each verifier must refuse, for these reasons and no others; those with \`by_authority\` only if it checks what a timestamp authority signed. Most are made by an operator with a consistent log that witnesses have cosigned. \`forgeries.json\`
has the same for programs, with the keys that the verifier is given. The [vectors](../README.md) that hold are beside them.

| File | What is tried | Fails |
|---|---|---|
${rows.join('\n')}
`;
}

/** The names of files that are kept as they are. */
export const KEPT = [
  'README.md',
  'timestamps.json',
  'tsa-root.pem',
  'tsa-root-of-0.2.pem',
  ...Object.keys(FROM_0_2).map((name) => `${name}.waybill-proof`),
];

/** Reads the timestamps that are stored with the vectors. */
export function storedStamps(): Stamps {
  return keptStamps(JSON.parse(readFileSync(path.join(VECTORS, 'timestamps.json'), 'utf8')));
}

const STATED: readonly Part[] = ['signature', 'hand-over', 'acknowledgement', 'expiry'];

/** The parts of what parties and service say that are not proven in a vector. Each verifier must leave open the same. */
export async function openParts({ file, trust, given }: Pick<Vector, 'file' | 'trust'> & { given?: Given | undefined }): Promise<Part[]> {
  const read = (name: string) => readFileSync(path.join(VECTORS, name), 'utf8');
  const { checks } = await verifyBundle(read(file), {
    ...(trust === 'vkey' ? { vkeys: [read('vkey.txt').trim()] } : { policy: read('policy.txt') }),
    authorities: given?.authorities,
  });
  return STATED.filter((one) => checks.some(({ part, state }) => part === one && state === 'unchecked')).toSorted();
}

/** Writes all files, with timestamps of a new authority. */
export async function writeVectors(): Promise<void> {
  const maker = new StampMaker();
  const files = await vectorFiles(maker.stamps);
  files.set('timestamps.json', `${JSON.stringify(maker.kept, null, 2)}\n`);
  files.set('tsa-root.pem', maker.root);
  maker.close();
  mkdirSync(path.join(VECTORS, 'forgeries'), { recursive: true });
  for (const [name, text] of files) writeFileSync(path.join(VECTORS, name), text);
}
