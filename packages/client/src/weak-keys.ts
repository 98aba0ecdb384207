/** Points of small order, by y-coordinate, without the sign in the highest bit. With such a key, one signature fits many texts. */
const WEAK_KEYS: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

const SIGN_BIT = 0x80;

/** Whether an Ed25519 public key of 32 bytes is a point of small order. */
export function isWeakKey(publicKey: Uint8Array): boolean {
  const bytes = Array.from(publicKey, (byte, at) => (at === publicKey.length - 1 ? byte & ~SIGN_BIT : byte));
  return WEAK_KEYS.has(bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(''));
}
