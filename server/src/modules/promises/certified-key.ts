import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  formatNote,
  formatVkey,
  KEY_TYPE,
  PROMISE_CHARACTERS_MAX,
  promiseEnding,
  promiseKeyBody,
  promiseKeyName,
  promiseLeaf,
  promiseOpening,
  promiseTreeBody,
  type Signer,
  signNote,
  type VerifierKey,
  verifierKey,
} from '@waybill/proof';
import { PROMISE_INCLUSION_WITHIN_S, PROMISE_KEY_LIFETIME_S } from '../../contract/limits.ts';
import { PromiseTree } from './promise-tree.ts';

/** The clock that processes share may be set back a little at each reading. */
const CLOCK_STEP_MS = 60_000;

/** Stands for what differs among the promises of a tree. No origin or time has it. */
const HOLE = '\0';

/** A message for which a promise is made. Position: in the sender's ledger; null if it is there no longer. */
export interface Promised {
  contentHash: Buffer;
  position: bigint | null;
}

/** The forms in which responses have a promise: base64 for the header, and a JSON string for the body. */
export interface LogPromise {
  header: string;
  json: string;
}

/** A key of this process that the key of the log has certified for some hours, so that the key of the log signs no promise itself. */
export class CertifiedKey {
  readonly log: string;
  readonly logNumber: number;
  /** The key of the log that was newest when it certified this one. */
  readonly certifiedBy: string;
  readonly certifiedAtMs: number;
  readonly #untilMs: number;
  readonly #privateKey: KeyObject;
  readonly #verifier: VerifierKey;
  readonly #keyNote: string;

  private constructor(
    made: { privateKey: KeyObject; verifier: VerifierKey },
    certificate: { log: string; logNumber: number; certifiedBy: string; note: string; atMs: number; untilMs: number },
  ) {
    this.log = certificate.log;
    this.logNumber = certificate.logNumber;
    this.certifiedBy = certificate.certifiedBy;
    this.certifiedAtMs = certificate.atMs;
    this.#untilMs = certificate.untilMs;
    this.#privateKey = made.privateKey;
    this.#verifier = made.verifier;
    this.#keyNote = certificate.note;
  }

  /** Makes a key and has it certified. The private half stays in this process, and ends with it. */
  static async create(log: { number: number; origin: string; vkey: string }, signers: readonly Signer[], now: Date): Promise<CertifiedKey> {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
    const verifier = verifierKey(promiseKeyName(log.origin), KEY_TYPE.ed25519, raw);
    const [fromMs, untilMs] = [now.getTime() - CLOCK_STEP_MS, now.getTime() + PROMISE_KEY_LIFETIME_S * 1_000];
    const body = promiseKeyBody({
      log: log.origin,
      vkey: formatVkey(verifier),
      from: new Date(fromMs).toISOString(),
      until: new Date(untilMs).toISOString(),
    });
    const note = await signNote(body, signers);
    const certificate = { log: log.origin, logNumber: log.number, certifiedBy: log.vkey, note, atMs: now.getTime(), untilMs };
    return new CertifiedKey({ privateKey, verifier }, certificate);
  }

  isValidAt(now: Date): boolean {
    const ms = now.getTime();
    return ms > this.certifiedAtMs - CLOCK_STEP_MS && ms < this.#untilMs;
  }

  /** One signature for all of them. */
  promise(messages: readonly Promised[], now: Date): LogPromise[] {
    const { log } = this;
    const at = now.toISOString();
    const by = new Date(now.getTime() + PROMISE_INCLUSION_WITHIN_S * 1_000).toISOString();
    const [before = '', between = '', after = ''] = promiseLeaf({ at, by, contentHash: HOLE, log, position: HOLE }).split(HOLE);
    const [beforeJson, betweenJson, afterJson] = [before, between, after].map(insideJson);
    const leaves = messages.map(({ contentHash, position }) => {
      const hash = `sha256:${contentHash.toString('hex')}`;
      if (position !== null)
        return { text: `${before}${hash}${between}${position}${after}`, json: `${beforeJson}${hash}${betweenJson}${position}${afterJson}` };
      const text = promiseLeaf({ at, by, contentHash: hash, log, position });
      return { text, json: insideJson(text) };
    });
    const tree = new PromiseTree(leaves.map(({ text }) => text));
    const ending = promiseEnding(this.#signed(promiseTreeBody({ log, size: leaves.length, root: tree.root })), this.#keyNote);
    const [inHeader, inJson] = [endingsInBase64(ending), insideJson(ending)];
    return leaves.map(({ text, json }, index) => {
      const path = tree.pathOf(index);
      const opening = promiseOpening(text, index, path);
      if (opening.length + ending.length > PROMISE_CHARACTERS_MAX) throw new Error('a promise is longer than verifiers read');
      const whole = opening.length - (opening.length % 3);
      const header = `${btoa(opening.slice(0, whole))}${inHeader[opening.length - whole]}`;
      return { header, json: `"${promiseOpening(json, index, path, '\\n')}${inJson}"` };
    });
  }

  #signed(body: string): string {
    const signature = Uint8Array.from(sign(null, Buffer.from(body), this.#privateKey));
    const { name, keyId } = this.#verifier;
    return formatNote({ body, signatures: [{ name, keyId, signature }] });
  }
}

/** The end that all promises of a tree have in base64, behind an opening that leaves 0, 1 or 2 bytes over: its last newlines. */
function endingsInBase64(ending: string): string[] {
  return ['', '\n', '\n\n'].map((over) => Buffer.from(over + ending).toString('base64'));
}

/** The text between the quotes of a JSON string. With one character beyond Latin-1, the whole body would be stored in twice the bytes. */
function insideJson(text: string): string {
  return JSON.stringify(text).slice(1, -1).replaceAll('—', '\\u2014');
}
