import { createHmac, timingSafeEqual } from 'node:crypto';

/** The header Waybill-Signature, the body's bytes as they came, and the whole secret, whsec_… */
export function isGenuine(secret: string, signature: string | undefined, body: Buffer): boolean {
  const [, time = '', signatures = ''] = /^t=([0-9]+)((?:,v1=[0-9a-f]{64})+)$/.exec(signature ?? '') ?? [];
  if (signatures === '' || Math.abs(Date.now() / 1000 - Number(time)) > 300) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return signatures.split(',v1=').some((v1) => v1 !== '' && timingSafeEqual(expected, Buffer.from(v1, 'hex')));
}
