import { createHmac, createPrivateKey, createSecretKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const SECRET = 'whsec_';
const PRIVATE_KEY = 'whsk_';
const PUBLIC_KEY = 'whpk_';
const SECRET_BYTES = 32;
const ED25519_BYTES = 32;
const KEYS_MAX = 10_000;

export function newSecret(): string {
  return `${SECRET}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Standard Webhooks writes an Ed25519 key pair in base64, the private key followed by the public one. */
export function newKeyPair(): { privateKey: string; publicKey: string } {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const [seed, point] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
  return {
    privateKey: `${PRIVATE_KEY}${Buffer.concat([seed, point]).toString('base64')}`,
    publicKey: `${PUBLIC_KEY}${point.toString('base64')}`,
  };
}

/** Joins the secret and the private key, if there is one, into one text: they are stored and rotated together. */
export function joinKeys(secret: string, privateKey: string | undefined): string {
  return privateKey === undefined ? secret : `${secret} ${privateKey}`;
}

export function secretOf(keys: string): string {
  return keys.split(' ', 1)[0] ?? keys;
}

interface Signatures {
  own: string;
  standard: string;
}

/**
 * Proves to the receiver that the body is ours and recent, in our own scheme and in that of Standard Webhooks. Each secret adds a signature
 * to both, and each private key adds one (v1a) to the latter.
 */
export function signaturesOf(keys: readonly string[], messageId: string, unixSeconds: number, body: Buffer): Signatures {
  let own = `t=${unixSeconds}`;
  let standard = '';
  for (const text of keys) {
    const { secret, standardKey, privateKey } = keysOf(text);
    own += `,v1=${createHmac('sha256', secret).update(`${unixSeconds}.`).update(body).digest('hex')}`;
    const start = `${messageId}.${unixSeconds}.`;
    const hmac = createHmac('sha256', standardKey).update(start).update(body);
    standard += `${standard === '' ? '' : ' '}v1,${hmac.digest('base64')}`;
    if (privateKey) standard += ` v1a,${sign(null, Buffer.concat([Buffer.from(start), body]), privateKey).toString('base64')}`;
  }
  return { own, standard };
}

interface Keys {
  secret: string;
  standardKey: KeyObject;
  privateKey: KeyObject | undefined;
}

/** Caches key objects: creating one costs several times as much as signing with it. */
const known = new Map<string, Keys>();

function keysOf(text: string): Keys {
  const found = known.get(text);
  if (found) return found;
  if (known.size >= KEYS_MAX) known.clear();
  const [secret = '', privateKey] = text.split(' ');
  const keys = {
    secret,
    standardKey: createSecretKey(secret.slice(SECRET.length), 'base64'),
    privateKey: privateKey === undefined ? undefined : ed25519KeyOf(privateKey),
  };
  known.set(text, keys);
  return keys;
}

function ed25519KeyOf(text: string): KeyObject {
  const bytes = Buffer.from(text.slice(PRIVATE_KEY.length), 'base64');
  const half = (from: number) => bytes.toString('base64url', from, from + ED25519_BYTES);
  return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d: half(0), x: half(ED25519_BYTES) }, format: 'jwk' });
}
