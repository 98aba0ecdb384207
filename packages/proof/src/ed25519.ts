import { type Bytes, fromHex } from './bytes.ts';
import { ProofError } from './errors.ts';

export const PUBLIC_KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** Ed25519 (RFC 8032) by Web Crypto. A public key that is no point of the curve verifies nothing. */
export async function verifyEd25519(publicKey: Bytes, message: Bytes, signature: Bytes): Promise<boolean> {
  if (publicKey.length !== PUBLIC_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  try {
    const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, signature, message);
  } catch {
    return false;
  }
}

/** Any public key: the first one of RFC 8032, section 7.1. */
const SOME_KEY = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';

/** Throws in a runtime without Ed25519, where every signature would look wrong. */
export async function requireEd25519(): Promise<void> {
  try {
    await crypto.subtle.importKey('raw', fromHex(SOME_KEY, 'A key'), 'Ed25519', false, ['verify']);
  } catch {
    throw new ProofError('This browser or runtime can’t verify Ed25519 signatures. Use a newer one.');
  }
}
