import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Encodes CBOR, as far as authenticators use it. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, inner]) => [cbor(key), cbor(inner)])]);
  throw new Error(`not written here: ${value}`);
}

function head(kind: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(kind << 5) | length]);
  return length < 256 ? Buffer.from([(kind << 5) | 24, length]) : Buffer.from([(kind << 5) | 25, length >> 8, length & 255]);
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const USER_IS_THERE = 0x01;
const USER_IS_KNOWN = 0x04;
const KEY_FOLLOWS = 0x40;

interface Ceremony {
  challenge: string;
  rpId: string;
  origin: string;
}

/** A passkey in software: one key pair (ES256), no attestation. */
export class Authenticator {
  readonly id = randomBytes(32).toString('base64url');
  readonly #key: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  #uses = 0;

  /** Returns what `navigator.credentials.create` would. */
  create({ challenge, rpId, origin }: Ceremony): object {
    const { x = '', y = '' } = this.#key.publicKey.export({ format: 'jwk' });
    const cose = new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
    const id = Buffer.from(this.id, 'base64url');
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cbor(cose)]);
    const authData = Buffer.concat([this.#authData(rpId, KEY_FOLLOWS), credential]);
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    return this.#credential({
      clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
      attestationObject: cbor(attestation).toString('base64url'),
      transports: ['internal'],
    });
  }

  /** Returns what `navigator.credentials.get` would. */
  get({ challenge, rpId, origin }: Ceremony): object {
    this.#uses++;
    const client = clientData('webauthn.get', challenge, origin);
    const authData = this.#authData(rpId, 0);
    return this.#credential({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', Buffer.concat([authData, sha256(client)]), this.#key.privateKey).toString('base64url'),
    });
  }

  #authData(rpId: string, flags: number): Buffer {
    const uses = Buffer.alloc(4);
    uses.writeUInt32BE(this.#uses);
    return Buffer.concat([sha256(rpId), Buffer.from([flags | USER_IS_THERE | USER_IS_KNOWN]), uses]);
  }

  #credential(response: object): object {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }
}

function clientData(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}
