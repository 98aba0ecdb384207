import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const KEYS_MAX = 10_000;

export function newSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

export interface Signatures {
  own: string;
  standard: string;
}

/**
 * Proves to the receiver that the body is ours and recent, in our own scheme and in that of Standard Webhooks. Each secret adds a
 * signature to both.
 */
export function signaturesOf(secrets: readonly string[], messageId: string, unixSeconds: number, body: Buffer): Signatures {
  let own = `t=${unixSeconds}`;
  let standard = '';
  for (const secret of secrets) {
    own += `,v1=${createHmac('sha256', secret).update(`${unixSeconds}.`).update(body).digest('hex')}`;
    const hmac = createHmac('sha256', standardKeyOf(secret)).update(`${messageId}.${unixSeconds}.`).update(body);
    standard += `${standard === '' ? '' : ' '}v1,${hmac.digest('base64')}`;
  }
  return { own, standard };
}

/** Creating a key object costs several times as much as signing with it. */
const standardKeys = new Map<string, KeyObject>();

function standardKeyOf(secret: string): KeyObject {
  const known = standardKeys.get(secret);
  if (known) return known;
  if (standardKeys.size >= KEYS_MAX) standardKeys.clear();
  const key = createSecretKey(secret.slice(PREFIX.length), 'base64');
  standardKeys.set(secret, key);
  return key;
}
