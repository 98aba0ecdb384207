import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  checkpointBody,
  consistencyProof,
  formatEntryBundle,
  formatVkey,
  KEY_TYPE,
  leafOf,
  noteSigner,
  parseTilePath,
  signNote,
  verifierKey,
} from '@waybill/proof';
import { formatAddCheckpoint } from '../../src/contract/add-checkpoint.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const leafHash = (entry: Uint8Array) => sha256(Buffer.concat([Buffer.of(0), entry]));

/** The root by the definition of RFC 6962, without code of the product. */
function naiveRoot(hashes: readonly Buffer[]): Buffer {
  if (hashes.length <= 1) return hashes[0] ?? sha256(Buffer.alloc(0));
  let left = 1;
  while (left * 2 < hashes.length) left *= 2;
  return sha256(Buffer.concat([Buffer.of(1), naiveRoot(hashes.slice(0, left)), naiveRoot(hashes.slice(left))]));
}

/** A log in memory, which is honest until a test changes its entries. */
export class SmallLog {
  readonly origin: string;
  readonly vkey: string;
  readonly entries: Buffer[] = [];
  readonly #privateKey: KeyObject;
  readonly #publicKey: Buffer;

  constructor(origin: string, privateKey = generateKeyPairSync('ed25519').privateKey) {
    this.origin = origin;
    this.#privateKey = privateKey;
    this.#publicKey = Buffer.from(privateKey.export({ format: 'jwk' }).x ?? '', 'base64url');
    this.vkey = formatVkey(verifierKey(origin, KEY_TYPE.ed25519, this.#publicKey));
  }

  /** Adds entries whose hashes are of their number and a word. Another word makes another history. */
  add(count: number, word = 'honest'): this {
    const first = this.entries.length;
    for (let at = 0; at < count; at++) this.entries.push(Buffer.from(leafOf(1, sha256(Buffer.from(`${word} ${first + at}`)))));
    return this;
  }

  /** Returns a log with the same key and the first entries of this one. */
  fork(size: number): SmallLog {
    const other = new SmallLog(this.origin, this.#privateKey);
    other.entries.push(...this.entries.slice(0, size));
    return other;
  }

  checkpoint(size = this.entries.length): Promise<string> {
    return this.sign(checkpointBody({ origin: this.origin, size, root: naiveRoot(this.entries.slice(0, size).map(leafHash)) }));
  }

  sign(body: string): Promise<string> {
    return signNote(body, [noteSigner(this.origin, this.#publicKey, (bytes) => sign(null, bytes, this.#privateKey))]);
  }

  tile(level: number, index: number, width: number): Buffer {
    const span = 256 ** level;
    const hashes = Array.from({ length: width }, (_, at) => {
      const start = (index * 256 + at) * span;
      return naiveRoot(this.entries.slice(start, start + span).map(leafHash));
    });
    return Buffer.concat(hashes);
  }

  proof(oldSize: number, size = this.entries.length): Promise<Uint8Array[]> {
    return consistencyProof(oldSize, size, async (level, index, width) => this.tile(level, index, width));
  }

  async request(oldSize: number, size = this.entries.length): Promise<string> {
    return formatAddCheckpoint({ oldSize, consistencyProof: await this.proof(oldSize, size), note: await this.checkpoint(size) });
  }

  /** Returns the response of the log at a path below its URL, or undefined. */
  async serve(path: string): Promise<Buffer | undefined> {
    if (path === 'checkpoint') return Buffer.from(await this.checkpoint());
    const name = parseTilePath(path);
    if (!name) return undefined;
    const span = name.level === 'entries' ? 1 : 256 ** name.level;
    if ((name.index * 256 + name.width) * span > this.entries.length) return undefined;
    if (name.level !== 'entries') return this.tile(name.level, name.index, name.width);
    return Buffer.from(formatEntryBundle(this.entries.slice(name.index * 256, name.index * 256 + name.width)));
  }
}
