import { type Bytes, toHex } from './bytes.ts';
import { contentOf, inside, objectId, readOne, TAG, wholeBits } from './der.ts';

const RSA_KEY = '1.2.840.113549.1.1.1';
const SHORT_RSA_BITS = 3_000;
/**
 * Until when what a key has signed is taken for genuine. RSA below 3,000 bits: NIST SP 800-57 and BSI TR-02102. Every key of RSA and of elliptic curves: NIST IR 8547,
 * because of quantum computers. No end is named for SHA-256, SHA-384 and SHA-512.
 */
const ENDS = { shortRsa: new Date('2030-12-31T23:59:59Z'), rsaAndCurves: new Date('2035-12-31T23:59:59Z') };

/** When the algorithm of a public key (SubjectPublicKeyInfo) ends. */
export function algorithmEndOf(publicKey: Bytes): Date {
  const what = 'A public key';
  const [algorithm, key] = inside(readOne(publicKey, TAG.sequence, what), TAG.sequence, what);
  if (objectId(inside(algorithm, TAG.sequence, what)[0], what) !== RSA_KEY) return ENDS.rsaAndCurves;
  const [modulus] = inside(readOne(wholeBits(key, what), TAG.sequence, what), TAG.sequence, what);
  const bits = 4 * toHex(contentOf(modulus, TAG.integer, what)).replace(/^0+/, '').length;
  return bits < SHORT_RSA_BITS ? ENDS.shortRsa : ENDS.rsaAndCurves;
}
