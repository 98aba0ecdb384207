import { createHash } from 'node:crypto';
import { canonicalJson, contentDigest, parseParameters, signatureBase } from '@waybill/client';
import {
  type Bundle,
  type BundleSignature,
  type BundleStatement,
  type BundleToken,
  checkpointBody,
  formatNote,
  formatProof,
  LEAF,
  type LeafType,
  leafOf,
  leafOfStatement,
  type NoteSignature,
  parseNote,
  type Signer,
  signNote,
} from '../../src/index.ts';
import { keyOf, logSigner, witnessSigner } from './keys.ts';
import { NaiveTree } from './naive-tree.ts';
import { hashText, type SaidLink, type SaidRequest, said, seconds, type Words } from './sample-message.ts';

/* The logs of the sample, and the proofs of what is said in it. Each run makes the same. */

export const ORIGIN = 'waybill.example.com/log';
const FORMER_ORIGIN = 'waybill.example.com/log/1';
const NEXT_ORIGIN = 'waybill.example.com/log/2';
const FOREIGN_ORIGIN = 'waybill.example.org/log';
export const log = logSigner(ORIGIN);
const formerLog = logSigner(FORMER_ORIGIN);
/** The log that the service began later, and that of another service: the policy trusts both, too. */
const nextLog = logSigner(NEXT_ORIGIN);
const foreignLog = logSigner(FOREIGN_ORIGIN);
const logKeys = { first: log, second: logSigner(ORIGIN, `${ORIGIN}, second key`), third: logSigner(ORIGIN, `${ORIGIN}, third key`) };
export const vkeys = { first: log.vkey, second: logKeys.second.vkey, third: logKeys.third.vkey };
const WITNESSES = ['witness.example.net/north', 'witness.example.org/south'];
/** The witnesses, with a clock that shows this many seconds since 1970. */
export const witnessesAtS = (timeS: number) => WITNESSES.map((name) => witnessSigner(name, () => timeS));
const witnessesAt = (time: string) => witnessesAtS(seconds(time));
export const witnesses = witnessesAt(said().witnessedAt);
const [north, south] = witnesses.map(({ vkey }) => vkey);
export const policy = `log ${log.vkey}\nlog ${formerLog.vkey}\nlog ${nextLog.vkey}\nlog ${foreignLog.vkey}\nwitness north ${north}\nwitness south ${south}\ngroup both all north south\nquorum both\n`;

const SIZES = { timestamped: 40, newest: 50 };
const utf8 = (text: string) => new TextEncoder().encode(text);

/** Which timestamp: that of the message's checkpoint, or that of the newest one, which renews it. */
export type Stamped = 'timestamp' | 'renewal';
type Stamp = (what: Stamped, checkpointText: string) => Promise<BundleToken>;

/** The bundle of these statements. */
export async function bundleOf(words: Words, stamp?: Stamp): Promise<Bundle> {
  const { json_bytes_sha256 } = words.envelope;
  const envelope = canonicalJson(Object.fromEntries(Object.entries(words.envelope).filter(([, value]) => value !== undefined)));
  const logged = new SampleLog(words);
  logged.add(words.places.message, leafOf(words.messageLeafType, createHash('sha256').update(envelope).digest()));
  const state = (type: LeafType, index: number, statement: object) => logged.state(type, index, canonicalJson(statement));
  const file = state(LEAF.file, words.places.file, words.file);
  const recipientKey = state(LEAF.key, words.places.recipientKey, words.recipientKey);
  const domain = state(LEAF.domain, words.places.domain, words.domain);
  const revoked = words.revocation && { ...words.senderKey, state: 'revoked', ...words.revocation };
  const revocation = revoked && state(LEAF.key, words.places.revocation, revoked);
  const senderKey = logged.stateSenderKey(canonicalJson(words.senderKey));
  const links = linksOf(words, hashText(envelope)).map((link) => ({ ...link, logged: state(link.type, link.index, link.statement) }));
  const first = await stamp?.('timestamp', logged.checkpoint(SIZES.timestamped));
  const renewed =
    first && words.timestamp && state(LEAF.timestamp, words.places.timestamp, logged.timestampStatement(first, words.timestamp));
  const second = renewed && (await stamp?.('renewal', logged.checkpoint(SIZES.newest)));
  const proven = async (one: { statement: string; index: number }): Promise<BundleStatement> => ({
    statement: one.statement,
    proof: await logged.proofAt(one.index),
  });
  const handOvers: BundleStatement[] = [];
  const acknowledgements: NonNullable<Bundle['acknowledgements']> = [];
  let expiry: BundleStatement | undefined;
  for (const { kind, logged: one, request } of links) {
    const statement = await proven(one);
    if (kind === 'hand-over') handOvers.push(statement);
    else if (kind === 'expiry') expiry = statement;
    else {
      const key = { key: recipientKey.statement, key_proof: await logged.proofAt(recipientKey.index), domain: await proven(domain) };
      acknowledgements.push({ ...statement, ...(request && { signature: { ...key, ...signed(request, words.recipientKey.id) } }) });
    }
  }
  return {
    format: 'waybill-proof/1',
    envelope,
    log: { origin: ORIGIN, vkey: logKeys[words.logKeys.newest.at(-1) ?? 'first'].vkey },
    other_logs: [{ origin: FORMER_ORIGIN, vkey: formerLog.vkey }],
    proof: await logged.proofAt(words.places.message),
    json: json_bytes_sha256 === undefined ? canonicalJson(JSON.parse(words.json)) : words.json,
    files: [{ id: words.file.file, sha256: words.file.sha256, ...(await proven(file)) }],
    signature: {
      key: senderKey,
      key_proof: await logged.senderKeyProof(),
      ...signed(words.sent, words.senderKey.id),
      ...(revocation && { revocation: await proven(revocation) }),
    },
    successions: await Promise.all(words.successions.map(successionOf)),
    hand_overs: handOvers,
    acknowledgements,
    ...(expiry && { expiry }),
    ...(first && {
      timestamps: [
        {
          proof: await logged.proofAt(words.places.message, 'timestamped'),
          ...first,
          ...(renewed && second && { renewals: [{ ...(await proven(renewed)), ...second }] }),
        },
      ],
    }),
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

/** The proof of a leaf in the log of another service, which has that leaf alone. */
export function foreignProof(leaf: Uint8Array<ArrayBuffer>): Promise<string> {
  return proofOf(new NaiveTree([leaf]), FOREIGN_ORIGIN, 0, 1, [foreignLog.signer, ...witnesses.map(({ signer }) => signer)]);
}

/** The proof of a leaf in the log that the service began later. */
export function laterProof(leaf: Uint8Array<ArrayBuffer>): Promise<string> {
  return proofOf(new NaiveTree([leaf]), NEXT_ORIGIN, 0, 1, [nextLog.signer, ...witnesses.map(({ signer }) => signer)]);
}

/** The proof of a leaf in another history of the log, of the same size. */
export function proofInOtherHistory(leaf: Uint8Array<ArrayBuffer>, index: number): Promise<string> {
  const leaves = Array.from({ length: SIZES.newest }, (_, at) => leafOf(LEAF.message, createHash('sha256').update(`other ${at}`).digest()));
  leaves[index] = leaf;
  return proofOf(new NaiveTree(leaves), ORIGIN, index, SIZES.newest, [log.signer, ...witnesses.map(({ signer }) => signer)]);
}

/** The proof with another text of its checkpoint, which log and witnesses have signed. */
export async function signedAgain(proof: string, edit: (body: string) => string, by = witnesses): Promise<string> {
  const start = proof.indexOf('\n\n') + 2;
  const { body } = parseNote(proof.slice(start));
  const text = edit(body);
  const signatures: NoteSignature[] = [];
  // signNote refuses a note that can't be read.
  for (const { name, keyId, sign } of [log.signer, ...by.map(({ signer }) => signer)])
    signatures.push({ name, keyId, signature: new Uint8Array(await sign(text)) });
  return proof.slice(0, start) + formatNote({ body: text, signatures });
}

/** The log of the service, and the one that it had before, in which the sender registered its key. */
class SampleLog {
  readonly #words: Words;
  readonly #leaves = Array.from({ length: SIZES.newest }, (_, index) =>
    leafOf(LEAF.message, createHash('sha256').update(`leaf ${index}`).digest()),
  );
  #senderKey: Uint8Array | undefined;

  constructor(words: Words) {
    this.#words = words;
  }

  add(index: number, leaf: Uint8Array<ArrayBuffer>): void {
    this.#leaves[index] = leaf;
  }

  state(type: LeafType, index: number, statement: string): { statement: string; index: number } {
    this.add(index, leafOfStatement(type, statement));
    return { statement, index };
  }

  stateSenderKey(statement: string): string {
    const leaf = leafOfStatement(LEAF.key, statement);
    if (this.#words.places.senderKey === null) this.#senderKey = leaf;
    else this.add(this.#words.places.senderKey, leaf);
    return statement;
  }

  async senderKeyProof(): Promise<string> {
    if (this.#senderKey === undefined) return this.proofAt(this.#words.places.senderKey ?? 0);
    const tree = new NaiveTree([...this.#leaves.slice(0, 6), this.#senderKey]);
    return proofOf(tree, FORMER_ORIGIN, 6, 7, [formerLog.signer, ...this.#witnesses('newest')]);
  }

  async proofAt(index: number, which: keyof typeof SIZES = 'newest'): Promise<string> {
    const signers = [...this.#words.logKeys[which].map((name) => logKeys[name].signer), ...this.#witnesses(which)];
    return proofOf(new NaiveTree(this.#leaves), ORIGIN, index, SIZES[which], signers);
  }

  checkpoint(size: number): string {
    return checkpointBody({ origin: ORIGIN, size, root: new NaiveTree(this.#leaves).root(size) });
  }

  timestampStatement({ token, crls = [] }: BundleToken, changes: NonNullable<Words['timestamp']>): object {
    const [checkpoint, size] = [hashText(this.checkpoint(SIZES.timestamped)), SIZES.timestamped];
    const hashes = [...crls, token].map((one) => hashText(Buffer.from(one, 'base64')));
    return { at: '2026-11-17T10:00:00.000Z', checkpoint, crls: hashes.slice(0, -1).toSorted(), size, token: hashes.at(-1), ...changes };
  }

  #witnesses(which: keyof typeof SIZES): Signer[] {
    return witnessesAt(this.#words.witnessedAt)
      .slice(0, this.#words.witnesses[which])
      .map(({ signer }) => signer);
  }
}

/** The statements of the chain, each with the hash of the one before. */
function linksOf(words: Words, contentHash: string) {
  const links: { kind: SaidLink['kind']; type: LeafType; index: number; statement: object; request: SaidRequest | undefined }[] = [];
  for (const [at, link] of words.chain.entries()) {
    const before = links.at(-1);
    const { number = at + 1, previous = before ? hashText(canonicalJson(before.statement)) : null, content_hash = contentHash } = link;
    const { kind, index, party, message, status, reason = null, way, expires_at } = link;
    const common = { at: link.at, content_hash, message, party, ...(number !== null && { number, previous }) };
    const [type, own] = {
      'hand-over': [LEAF.handOver, { way }] as const,
      acknowledgement: [LEAF.acknowledgement, { actor: words.recipientActor, reason, status }] as const,
      expiry: [LEAF.nonDelivery, { expires_at }] as const,
    }[kind];
    const body = link.signed?.body.replace('{content_hash}', content_hash).replace('{number}', String(number)) ?? '';
    links.push({ kind, type, index, statement: { ...common, ...own }, request: link.signed && { ...link.signed, body } });
  }
  return links;
}

async function successionOf({ old, next, by, log: origin }: Words['successions'][number]): Promise<string> {
  const statement = canonicalJson({
    at: '2026-06-01T08:00:00.000Z',
    log: origin,
    new_key: next,
    old_key: old,
    statement: 'key_succession',
  });
  return signNote(`${statement}\n`, [logKeys[by].signer]);
}

async function proofOf(tree: NaiveTree, origin: string, index: number, size: number, signers: Signer[]): Promise<string> {
  const checkpoint = await signNote(checkpointBody({ origin, size, root: tree.root(size) }), signers);
  return formatProof({ index, hashes: tree.path(index, size), checkpoint });
}

function signed(
  { by, path, body, createdS, components: covered, nonce, expiresS, more = '' }: SaidRequest,
  keyId: string,
): Omit<BundleSignature, 'key' | 'key_proof'> {
  const components: Record<string, string> = { '@method': 'POST', '@path': path, 'content-digest': contentDigest(body) };
  for (const [name, value] of Object.entries(covered)) if (value !== undefined) components[name] = value;
  const names = Object.keys(components).map((name) => `"${name}"`);
  const once = nonce === undefined ? '' : `;nonce="${nonce}"`;
  const until = expiresS === undefined ? '' : `;expires=${expiresS}`;
  const canonical = parseParameters(`(${names.join(' ')});created=${createdS}${until};keyid="${keyId}";alg="ed25519"${once}`);
  const parameters = { ...canonical, text: canonical.text + more };
  const signature = keyOf(by).sign(utf8(signatureBase(parameters, components)));
  return { signature_input: parameters.text, signature: Buffer.from(signature).toString('base64'), components, body };
}
