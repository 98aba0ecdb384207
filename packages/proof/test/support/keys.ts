import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { cosigner, formatVkey, KEY_TYPE, noteSigner, type Signer, verifierKey } from '../../src/index.ts';

const PKCS8_OF_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

interface TestKey {
  privateKey: string;
  publicKey: Uint8Array;
  sign(bytes: Uint8Array): Uint8Array;
}

/** An Ed25519 key for tests and vectors. Its private half is the hash of a name, so everybody can know it. */
export function keyOf(seed: string): TestKey {
  const secret = createHash('sha256').update(`waybill test key ${seed}`).digest();
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_OF_ED25519, secret]), format: 'der', type: 'pkcs8' });
  const publicKey = new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32));
  return { privateKey: secret.toString('base64'), publicKey, sign: (bytes) => new Uint8Array(sign(null, bytes, key)) };
}

export function logSigner(origin: string, seed = origin): { signer: Signer; vkey: string } {
  const { publicKey, sign } = keyOf(seed);
  return { signer: noteSigner(origin, publicKey, sign), vkey: formatVkey(verifierKey(origin, KEY_TYPE.ed25519, publicKey)) };
}

export function witnessSigner(name: string, now: () => number): { signer: Signer; vkey: string } {
  const { publicKey, sign } = keyOf(name);
  return { signer: cosigner(name, publicKey, sign, now), vkey: formatVkey(verifierKey(name, KEY_TYPE.cosignature, publicKey)) };
}
