import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { formatVkey, KEY_TYPE, noteSigner, type Signer, type VerifierKey, verifierKey } from '@waybill/proof';
import type { Queryable } from '../../platform/postgres.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import * as store from './log-store.ts';

/** The key pairs of logs: made by the service, and encrypted in the database. */
export class LogKeys {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  /** A new key pair for a log, as it is stored. */
  create(log: number): { publicKey: Buffer; secret: string } {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const secret = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
    return { publicKey: rawPublicKey(publicKey), secret: this.#box.seal(secret, placeOf(log)) };
  }

  /** What signs checkpoints of the log: its newest key. */
  async signersOf(db: Queryable, { number, origin }: Pick<store.LogRecord, 'number' | 'origin'>): Promise<Signer[]> {
    const [newest] = await store.keysOf(db, number);
    if (!newest || newest.secret === null) throw new Error('the log has no key');
    const key = createPrivateKey({
      key: Buffer.from(this.#box.open(newest.secret, placeOf(number)), 'base64'),
      format: 'der',
      type: 'pkcs8',
    });
    return [noteSigner(origin, newest.publicKey, (bytes) => sign(null, bytes, key))];
  }

  /** The public keys with which checkpoints of the log were signed, the newest first. */
  async verifiersOf(db: Queryable, { number, origin }: Pick<store.LogRecord, 'number' | 'origin'>): Promise<VerifierKey[]> {
    return (await store.keysOf(db, number)).map(({ publicKey }) => verifierKey(origin, KEY_TYPE.ed25519, publicKey));
  }

  async vkeysOf(db: Queryable, log: Pick<store.LogRecord, 'number' | 'origin'>): Promise<string[]> {
    return (await this.verifiersOf(db, log)).map(formatVkey);
  }
}

/** An encrypted key is useless for another log. */
function placeOf(log: number): string {
  return `log ${log}`;
}

/** Its 32 bytes. */
function rawPublicKey(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
}
