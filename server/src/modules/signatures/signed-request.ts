import type { Components } from '@waybill/client';

/** A request whose signature has been checked, with everything needed to check it again. */
export interface SignedRequest {
  keyId: string;
  signatureInput: string;
  signature: Buffer;
  components: string;
  body: Buffer;
}

/** A signed request as it came. */
export interface CheckedRequest extends SignedRequest {
  /** The values that the signature covers. */
  covered: Components;
  nonce: string | undefined;
}

/** The signature of a message request. It keeps the body around `json`, because the message has `json` itself. */
export interface MessageSignature extends Omit<SignedRequest, 'body'> {
  bodyBefore: Buffer;
  bodyAfter: Buffer;
}

/** The signature of a message request as it came. */
export interface CheckedSignature extends MessageSignature {
  covered: Components;
  /** The idempotency key of a request that has none: another request with the same nonce is a replay. Null without a nonce. */
  nonceKey: string | null;
}

/** No header can have the space, so that this is nobody's own idempotency key. */
const NONCE_KEY = 'nonce ';

export function nonceKeyOf({ keyId, nonce }: Pick<CheckedRequest, 'keyId' | 'nonce'>): string | null {
  return nonce === undefined ? null : `${NONCE_KEY}${keyId} ${nonce}`;
}

export function isNonceKey(idempotencyKey: string): boolean {
  return idempotencyKey.startsWith(NONCE_KEY);
}
