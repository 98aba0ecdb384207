import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
export const SECRETS_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** No plain value begins with this mark: secrets and headers are printable ASCII. */
const MARK = '§';
const SEALED = new RegExp(`^${MARK}([0-9a-f]{8})\\.([A-Za-z0-9_-]+)$`);
const OPENED_MAX = 10_000;

/** The secret can't be read: its key is not in the settings, or it was changed, or copied from another place. */
export class SealedSecretError extends Error {}

/**
 * Encrypts secrets in the database with AES-256-GCM. The place of the secret is associated data, so that a stored value is useless in another place.
 * The stored form is `§<key id>.<nonce, text and tag>`. A value without the mark is plain.
 */
export class SecretBox {
  readonly #current: string | undefined;
  readonly #keys = new Map<string, KeyObject>();
  /** A cache, because deliveries read a secret with each lease. */
  readonly #opened = new Map<string, string>();

  /** Without a current key, secrets are stored as plain text. Older keys only decrypt. */
  constructor(current: Buffer | undefined, older: readonly Buffer[]) {
    for (const key of [...(current ? [current] : []), ...older]) this.#keys.set(idOf(key), createSecretKey(key));
    this.#current = current && idOf(current);
  }

  /** Whether what it seals is encrypted. */
  get encrypts(): boolean {
    return this.#current !== undefined;
  }

  knows(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  seal(text: string, place: string): string {
    const key = this.#current === undefined ? undefined : this.#keys.get(this.#current);
    if (!key) return text;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place));
    const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${MARK}${this.#current}.${bytes.toString('base64url')}`;
  }

  open(stored: string, place: string): string {
    if (!isSealed(stored)) return stored;
    const known = this.#opened.get(place + stored);
    if (known !== undefined) return known;
    const text = this.#decrypt(stored, place);
    if (this.#opened.size >= OPENED_MAX) this.#opened.clear();
    this.#opened.set(place + stored, text);
    return text;
  }

  isCurrent(stored: string): boolean {
    return this.#current === undefined || stored.startsWith(`${MARK}${this.#current}.`);
  }

  #decrypt(stored: string, place: string): string {
    const [, keyId = '', text = ''] = SEALED.exec(stored) ?? [];
    const key = this.#keys.get(keyId);
    if (!key)
      throw new SealedSecretError(`a stored secret needs the key ${keyId}, which is neither in SECRETS_KEY nor in SECRETS_OLD_KEYS`);
    const bytes = Buffer.from(text, 'base64url');
    try {
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      throw new SealedSecretError('a stored secret was changed, or copied from another place');
    }
  }
}

export function isSealed(stored: string): boolean {
  return stored.startsWith(MARK);
}

/** The id reveals nothing about the key. */
function idOf(key: Buffer): string {
  return createHash('sha256').update('waybill secrets key').update(key).digest('hex').slice(0, 8);
}
