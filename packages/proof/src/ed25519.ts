import type { Bytes } from './bytes.ts';

export const PUBLIC_KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** Ed25519 (RFC 8032) by Web Crypto. A public key that is no point of the curve verifies nothing. */
export async function verifyEd25519(publicKey: Bytes, message: Bytes, signature: Bytes): Promise<boolean> {
  if (publicKey.length !== PUBLIC_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  try {
    const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, signature, message);
  } catch (error) {
    // A runtime without Ed25519 must not look like a wrong signature.
    if ((error as { name?: string } | undefined)?.name === 'NotSupportedError') throw error;
    return false;
  }
}
