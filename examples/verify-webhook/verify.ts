import { createHmac, timingSafeEqual } from 'node:crypto';

/** The header Waybill-Signature, the body's bytes as they came, and the whole secret, whsec_… */
export function isGenuine(secret: string, signature: string | undefined, body: Buffer): boolean {
  const [, time = '', v1 = ''] = /^t=([0-9]+),v1=([0-9a-f]{64})$/.exec(signature ?? '') ?? [];
  if (v1 === '' || Math.abs(Date.now() / 1000 - Number(time)) > 300) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(v1, 'hex'));
}
