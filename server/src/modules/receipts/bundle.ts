import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { BUNDLE_FORMAT, type Bundle, parseNote, parseProof, parseVkey } from '@waybill/proof';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { Refusal } from '../../contract/errors.ts';
import { formatId } from '../../contract/ids.ts';
import { HASHED_AT_DELIVERY_MAX_BYTES } from '../../contract/limits.ts';
import type { CanonicalHasher } from '../../platform/canonical-hasher.ts';
import type { Location, Log } from '../log/log.ts';
import { hashedTextOf, type StoredMessage } from '../messages/envelope.ts';
import type { ReadServices, SentMessage } from '../messages/read-messages.ts';

export interface BundleServices extends ReadServices {
  transparencyLog: Log;
  hasher: CanonicalHasher;
}

/** The message is not in a checkpoint of the log yet. */
export const PENDING = Symbol('pending');

/** public: what everybody with a full receipt may see, which is neither the JSON nor what the parties have signed. */
export type BundleContents = 'whole' | 'without json' | 'public';

/** The text of c2sp.org/tlog-proof for the content hash of a message. */
export async function proofOf(services: BundleServices, sent: SentMessage): Promise<string | typeof PENDING> {
  const location = await locate(services, sent);
  if (location === PENDING) return PENDING;
  const proof = await services.transparencyLog.proofOf(location);
  return proof === 'pending' ? PENDING : proof;
}

/** The text of a `.waybill-proof`, which verifies without the service. docs/proof.md describes it. */
export async function bundleOf(services: BundleServices, sent: SentMessage, contents: BundleContents): Promise<string | typeof PENDING> {
  const { message } = sent;
  const location = await locate(services, sent);
  if (location === PENDING) return PENDING;
  const proof = await services.transparencyLog.proofOf(location);
  if (proof === 'pending') return PENDING;
  const bundle: Bundle = {
    format: BUNDLE_FORMAT,
    envelope: await provenEnvelope(message),
    log: await signerOf(services.transparencyLog, location, proof),
    proof,
    ...(contents === 'whole' && message.json !== null && { json: await canonicalText(services, sent, message.json) }),
  };
  return canonicalJson(bundle);
}

/** The text that json_sha256 is the hash of. */
async function canonicalText({ hasher }: BundleServices, { senderId }: SentMessage, json: string): Promise<string> {
  return (await hasher.canonical(String(senderId), Buffer.from(json))).toString();
}

async function locate({ transparencyLog }: BundleServices, { senderId, message }: SentMessage): Promise<Location | typeof PENDING> {
  const location = await transparencyLog.locateMessage(senderId, message.id);
  if (location === 'unlogged') throw new Refusal('not_logged');
  return location ?? PENDING;
}

/**
 * The text whose hash is in the log, made from the stored row. A row that was changed since has another hash, and is never served as
 * proven. Large files have no hash at delivery, unless they were sent before: so the envelope is tried without the hashes of all of them,
 * then with all hashes, then without those of the largest file, the two largest, and so on.
 */
async function provenEnvelope(message: StoredMessage): Promise<string> {
  const large = message.files.map(({ sizeBytes }) => sizeBytes).filter((bytes) => bytes > HASHED_AT_DELIVERY_MAX_BYTES);
  const sizes = [...new Set(large)].sort((a, b) => b - a);
  for (const bound of new Set([sizes.at(-1) ?? Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, ...sizes])) {
    const files = message.files.map((file) => (file.sizeBytes >= bound ? { ...file, sha256: null } : file));
    const text = hashedTextOf({ ...message, files });
    if (createHash('sha256').update(text).digest().equals(message.contentHash)) return text;
    // Others get a turn: with many long names, each try takes some milliseconds.
    await setImmediate();
  }
  throw new Error(`the stored message ${formatId('msg', message.id)} does not have its content_hash: the row was changed`);
}

/** The log, with the one of its keys that signed the checkpoint of the proof. */
async function signerOf(log: Log, { log: number }: Location, proof: string): Promise<{ origin: string; vkey: string }> {
  const view = (await log.logs()).find((one) => one.number === number);
  const signers = new Set(parseNote(parseProof(proof).checkpoint).signatures.map(({ keyId }) => keyId));
  const vkey = view?.vkeys.find((one) => signers.has(parseVkey(one).keyId));
  if (!view || vkey === undefined) throw new Error(`no key of log ${number} signed its checkpoint`);
  return { origin: view.origin, vkey };
}
