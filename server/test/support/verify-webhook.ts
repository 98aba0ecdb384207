import { createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Delivery } from './receiver.ts';

/** The maximum difference between the timestamp and the receiver's clock, by the specification. */
const SIGNATURE_AGE_MAX_S = 300;

type Signed = Pick<Delivery, 'headers' | 'body'>;

/**
 * The scheme of the specification, implemented from its text: v1 is the hex HMAC-SHA256 of `<t>.<rawBody>`, keyed with the whole secret.
 * After a rotation there may be two.
 */
export function verifyOwn({ headers, body }: Signed, secret: string, nowMs = Date.now()): boolean {
  const [, time, signatures] = /^t=([0-9]+)((?:,v1=[0-9a-f]{64}){1,2})$/.exec(String(headers['waybill-signature'])) ?? [];
  if (!time || !signatures) return false;
  if (Math.abs(Math.floor(nowMs / 1000) - Number(time)) > SIGNATURE_AGE_MAX_S) return false;
  const signed = Buffer.concat([Buffer.from(time), Buffer.from('.'), body]);
  const expected = createHmac('sha256', Buffer.from(secret, 'utf8')).update(signed).digest();
  return signatures.split(',v1=').some((v1) => v1 !== '' && timingSafeEqual(expected, Buffer.from(v1, 'hex')));
}

/** The scheme of Standard Webhooks, by its own library, which uses the clock of the process. */
export function verifyStandard({ headers, body }: Signed, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

/** The time of the signature in Unix seconds, in both schemes. */
export function signedAt({ headers }: Signed): { own: number; standard: number } {
  return {
    own: Number(/^t=([0-9]+),/.exec(String(headers['waybill-signature']))?.[1]),
    standard: Number(headers['webhook-timestamp']),
  };
}
