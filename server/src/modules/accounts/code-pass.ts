import { createHmac } from 'node:crypto';
import { isSameSecret } from '../../platform/secrets/same-secret.ts';

const DAY_MS = 24 * 3_600_000;
const PASS_BYTES = 18;

/**
 * A pass to request codes of one mailbox, for one to two days. Mails with codes have it when strangers have requested many, so that the
 * mailbox's reader gets codes although the strangers' limit is used up. A pass signs nobody in.
 */
export function codePassOf(secret: Buffer, email: string, nowMs = Date.now()): string {
  return passOfDay(secret, email, Math.floor(nowMs / DAY_MS));
}

export function isCodePass(secret: Buffer, email: string, pass: string, nowMs = Date.now()): boolean {
  const today = Math.floor(nowMs / DAY_MS);
  return [today, today - 1].some((day) => isSameSecret(pass, passOfDay(secret, email, day)));
}

function passOfDay(secret: Buffer, email: string, day: number): string {
  const subject = JSON.stringify(['pass to request codes', email, day]);
  return createHmac('sha256', secret).update(subject).digest().subarray(0, PASS_BYTES).toString('base64url');
}
