import { createPrivateKey, type KeyObject } from 'node:crypto';

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
