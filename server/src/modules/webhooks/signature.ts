import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const KEYS_MAX = 10_000;

export function newSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Proves to the receiver that the body is ours and recent, in our own scheme and in that of Standard Webhooks. */
export function signaturesOf(secret: string, messageId: string, unixSeconds: number, body: Buffer): { own: string; standard: string } {
  const own = createHmac('sha256', secret).update(`${unixSeconds}.`).update(body).digest('hex');
  const standard = createHmac('sha256', standardKeyOf(secret)).update(`${messageId}.${unixSeconds}.`).update(body).digest('base64');
  return { own: `t=${unixSeconds},v1=${own}`, standard: `v1,${standard}` };
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
