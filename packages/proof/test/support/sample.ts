import { createHash } from 'node:crypto';
import { canonicalJson, contentDigest, parseParameters, signatureBase } from '@waybill/client';
import {
  type Bundle,
  type BundleSignature,
  checkpointBody,
  formatProof,
  LEAF,
  leafOf,
  leafOfStatement,
  type Signer,
  signNote,
} from '../../src/index.ts';
import { keyOf, logSigner, witnessSigner } from './keys.ts';
import { NaiveTree } from './naive-tree.ts';

/* A message with everything that a proof can have, and its log. Keys and times are fixed, so that each run makes the same. */

export const ORIGIN = 'waybill.example.com/log';
const RECEIVED_AT = '2026-11-17T09:00:00.123Z';
const WITNESSED_AT = Date.parse('2026-11-17T09:00:02Z') / 1_000;
export const log = logSigner(ORIGIN);
const oldLog = logSigner('waybill.example.com/log/1');
export const witnesses = ['witness.example.net/north', 'witness.example.org/south'].map((name) => witnessSigner(name, () => WITNESSED_AT));
const [north, south] = witnesses.map(({ vkey }) => vkey);
export const policy = `log ${log.vkey}\nlog ${oldLog.vkey}\nwitness north ${north}\nwitness south ${south}\ngroup both all north south\nquorum both\n`;
/** The JSON as the sender wrote it. */
export const WRITTEN_JSON = '{"order": 4711, "total": 1.0, "items":[{"sku":"A-1","quantity":3,"note":"Größe \\u00E9"}]}';
const FILE = new TextEncoder().encode('The drawing of part A-1.\n');

const acme = { display_name: 'Acme', handle: 'acme', kind: 'handle' };
const globex = { display_name: 'Globex Corporation', handle: 'globex', kind: 'handle' };
const agent = (id: string, name: string) => ({ email: null, id, kind: 'agent', name, provider: 'api_key', verified: true });
const id = (prefix: string, digit: number) => `${prefix}_${'0'.repeat(25)}${digit}`;
const hashText = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const utf8 = (text: string) => new TextEncoder().encode(text);

/** The statements of the parties and the service, before anything is signed or logged. */
export function said(json = WRITTEN_JSON) {
  const files = [
    { content_type: 'text/plain', filename: 'drawing.txt', id: id('file', 1), sha256: hashText(FILE), size_bytes: FILE.length },
    { content_type: 'image/tiff', filename: 'scan “A”.tiff', id: id('file', 2), sha256: null as string | null, size_bytes: 209_715_200 },
  ];
  return {
    envelope: {
      files,
      from: { actor: agent(id('agt', 1), 'Order desk'), party: acme },
      id: id('msg', 1),
      in_reply_to: null as string | null,
      // Messages from before this hash was recorded lack it.
      json_bytes_sha256: hashText(utf8(json)) as string | undefined,
      json_sha256: hashText(utf8(canonicalJson(JSON.parse(json)))),
      note: 'Bitte bis Freitag – danke! 🙂',
      received_at: RECEIVED_AT,
      subject: 'Order 4711',
      thread_id: id('thr', 1),
      to: { party: globex, segment: 'orders' as string | null },
      type: 'order',
    },
    file: { file: id('file', 2), message: id('msg', 1), sha256: hashText(utf8('a large file')), size_bytes: 209_715_200 },
    senderKey: keyStatement('sender', 'sgk', 1, 'agt', 1, acme),
    recipientKey: keyStatement('recipient', 'sgk', 2, 'agt', 2, globex),
    acknowledgement: {
      actor: agent(id('agt', 2), 'Fulfilment'),
      at: '2026-11-17T09:00:01.500Z',
      content_hash: '',
      message: id('msg', 1),
      party: globex,
      reason: 'In stock' as string | null,
      status: 'accepted',
    },
    json,
    sent: `{"to":"globex/orders","type":"order","subject":"Order 4711","note":"Bitte bis Freitag – danke! 🙂","json":${json},"files":["upl_1","upl_2"]}`,
    acknowledged: '{"status":"accepted","reason":"In stock"}',
    acknowledgePath: `/v1/messages/${id('msg', 1)}/acknowledge`,
    signedAt: Date.parse(RECEIVED_AT) / 1_000 - 1,
    messageLeafType: LEAF.message as 1 | 2 | 3 | 4 | 5,
  };
}

function keyStatement(seed: string, prefix: string, digit: number, agentPrefix: string, agentDigit: number, party: typeof acme) {
  const publicKey = Buffer.from(keyOf(seed).publicKey).toString('base64');
  return {
    agent: id(agentPrefix, agentDigit),
    at: '2026-01-05T08:00:00.000Z',
    id: id(prefix, digit),
    party,
    public_key: publicKey,
    state: 'registered',
  };
}

/** The index of each statement in the log. */
const AT = { recipientKey: 9, message: 20, file: 25, acknowledgement: 30 };
const SIZES = { timestamped: 40, newest: 50 };

type Stamp = (checkpointText: string) => Promise<string>;

/** The bundle of these statements. `signers` cosign the newest checkpoint, and `stamp` returns a token in base64. */
export async function bundleOf(
  words: ReturnType<typeof said>,
  stamp?: Stamp,
  signers = witnesses.map(({ signer }) => signer),
): Promise<Bundle> {
  const { json_bytes_sha256, ...older } = words.envelope;
  const envelope = canonicalJson(json_bytes_sha256 === undefined ? older : words.envelope);
  if (words.acknowledgement.content_hash === '') words.acknowledgement.content_hash = hashText(utf8(envelope));
  const [file, acknowledgement] = [canonicalJson(words.file), canonicalJson(words.acknowledgement)];
  const [senderKey, recipientKey] = [canonicalJson(words.senderKey), canonicalJson(words.recipientKey)];
  const leaves = Array.from({ length: SIZES.newest }, (_, index) =>
    leafOf(LEAF.message, createHash('sha256').update(`leaf ${index}`).digest()),
  );
  leaves[AT.message] = leafOf(words.messageLeafType, createHash('sha256').update(envelope).digest());
  leaves[AT.file] = leafOfStatement(LEAF.file, file);
  leaves[AT.acknowledgement] = leafOfStatement(LEAF.acknowledgement, acknowledgement);
  leaves[AT.recipientKey] = leafOfStatement(LEAF.key, recipientKey);
  const tree = new NaiveTree(leaves);
  const proofAt = (index: number, size = SIZES.newest) => proofOf(tree, ORIGIN, index, size, [log.signer, ...signers]);
  // The sender registered its key when the service had another log.
  const oldTree = new NaiveTree([...leaves.slice(0, 6), leafOfStatement(LEAF.key, senderKey)]);
  const oldProof = await proofOf(oldTree, 'waybill.example.com/log/1', 6, 7, [oldLog.signer, ...signers]);
  const timestamped = await proofAt(AT.message, SIZES.timestamped);
  const token = await stamp?.(checkpointBody({ origin: ORIGIN, size: SIZES.timestamped, root: tree.root(SIZES.timestamped) }));
  const sent = { path: '/v1/messages', body: words.sent, createdS: Math.floor(words.signedAt), idempotencyKey: 'order-4711' };
  const acknowledged = { path: words.acknowledgePath, body: words.acknowledged, createdS: Math.floor(words.signedAt) + 1 };
  return {
    format: 'waybill-proof/1',
    envelope,
    log: { origin: ORIGIN, vkey: log.vkey },
    other_logs: [{ origin: 'waybill.example.com/log/1', vkey: oldLog.vkey }],
    proof: await proofAt(AT.message),
    json: json_bytes_sha256 === undefined ? canonicalJson(JSON.parse(words.json)) : words.json,
    files: [{ id: words.file.file, sha256: words.file.sha256, statement: file, proof: await proofAt(AT.file) }],
    signature: { key: senderKey, key_proof: oldProof, ...signed('sender', words.senderKey.id, sent) },
    acknowledgements: [
      {
        statement: acknowledgement,
        proof: await proofAt(AT.acknowledgement),
        signature: {
          key: recipientKey,
          key_proof: await proofAt(AT.recipientKey),
          ...signed('recipient', words.recipientKey.id, acknowledged),
        },
      },
    ],
    ...(token !== undefined && { timestamps: [{ proof: timestamped, token }] }),
  };
}

/** A proof that anybody can make: of another subject, in a log of one leaf with the name of the real one, signed with the forger's key. */
export async function forgedBundle({ envelope: genuine, json, log: { origin } }: Bundle, subject = 'Order 9999'): Promise<Bundle> {
  const envelope = canonicalJson({ ...JSON.parse(genuine), subject });
  const { signer, vkey } = logSigner(origin, 'forger');
  const tree = new NaiveTree([leafOf(LEAF.message, createHash('sha256').update(envelope).digest())]);
  const proof = await proofOf(tree, origin, 0, 1, [signer]);
  return { format: 'waybill-proof/1', envelope, log: { origin, vkey }, proof, ...(json !== undefined && { json }) };
}

async function proofOf(tree: NaiveTree, origin: string, index: number, size: number, signers: Signer[]): Promise<string> {
  const checkpoint = await signNote(checkpointBody({ origin, size, root: tree.root(size) }), signers);
  return formatProof({ index, hashes: tree.path(index, size), checkpoint });
}

function signed(
  seed: string,
  keyId: string,
  { path, body, createdS, idempotencyKey }: { path: string; body: string; createdS: number; idempotencyKey?: string },
): Omit<BundleSignature, 'key' | 'key_proof'> {
  const components: Record<string, string> = {
    '@method': 'POST',
    '@path': path,
    'content-digest': contentDigest(body),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  };
  const names = Object.keys(components).map((name) => `"${name}"`);
  const parameters = parseParameters(`(${names.join(' ')});created=${createdS};keyid="${keyId}";alg="ed25519"`);
  const signature = keyOf(seed).sign(utf8(signatureBase(parameters, components)));
  return { signature_input: parameters.text, signature: Buffer.from(signature).toString('base64'), components, body };
}
