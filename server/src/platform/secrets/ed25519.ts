import { createPrivateKey, type KeyObject } from 'node:crypto';

/** A private key as PEM, or as PKCS #8. Throws if it is neither. */
export function privateKeyOf(contents: Buffer): KeyObject {
  if (contents.includes('-----BEGIN')) return createPrivateKey(contents);
  return createPrivateKey({ key: contents, format: 'der', type: 'pkcs8' });
}

export function isEd25519Key(contents: Buffer): boolean {
  try {
    return privateKeyOf(contents).asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}
