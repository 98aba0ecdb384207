import { invalid } from '../../contract/errors.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import type { WebhookKey } from './attempt-store.ts';
import { lockKeys, replaceKeys, setKeys } from './secret-store.ts';
import { joinKeys, newKeyPair, newSecret, secretOf } from './signature.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

export const SIGNATURES = ['hmac', 'ed25519'] as const;
export type SignatureScheme = (typeof SIGNATURES)[number];

export function wantsEd25519(signatures: readonly SignatureScheme[]): boolean {
  if (!signatures.includes('hmac')) throw invalid([{ path: '/signatures', message: 'must contain hmac' }]);
  return signatures.includes('ed25519');
}

/** Adds a key pair, or removes it, in the former keys too. Does nothing if it is already so. */
export async function setEd25519(tx: Queryable, secrets: WebhookSecrets, webhook: WebhookKey, isWanted: boolean): Promise<void> {
  const keys = await lockKeys(tx, webhook);
  if (!keys || (keys.publicKey !== null) === isWanted) return;
  const { webhookId } = webhook;
  const pair = isWanted ? newKeyPair() : undefined;
  const [current = '', ...previous] = secrets.open(webhookId, { ...keys, headers: null }).secrets;
  await setKeys(tx, webhook, {
    secret: secrets.seal(webhookId, joinKeys(secretOf(current), pair?.privateKey)),
    previousSecret: previous.map((one) => secrets.seal(webhookId, secretOf(one)))[0] ?? null,
    publicKey: pair?.publicKey ?? null,
  });
}

export interface Rotated {
  secret: string;
  publicKey: string | null;
  previousValidUntil: Date | null;
}

export async function rotateKeys(
  tx: Queryable,
  secrets: WebhookSecrets,
  webhook: WebhookKey,
  graceS: number,
): Promise<Rotated | undefined> {
  const before = await lockKeys(tx, webhook);
  if (!before) return undefined;
  const secret = newSecret();
  const pair = before.publicKey === null ? undefined : newKeyPair();
  const publicKey = pair?.publicKey ?? null;
  const sealed = secrets.seal(webhook.webhookId, joinKeys(secret, pair?.privateKey));
  return { secret, publicKey, previousValidUntil: await replaceKeys(tx, webhook, { secret: sealed, publicKey }, graceS) };
}
