import { type Bytes, fromHex, HASH_BYTES, sha256, utf8 } from './bytes.ts';
import { ProofError } from './errors.ts';

/** The first byte of a leaf: its kind. */
export const LEAF = {
  message: 1,
  file: 2,
  acknowledgement: 3,
  key: 4,
  audit: 5,
  domain: 6,
  handOver: 7,
  nonDelivery: 8,
  timestamp: 9,
} as const;
export type LeafType = (typeof LEAF)[keyof typeof LEAF];

export const LEAF_BYTES = 1 + HASH_BYTES;

/** The 33 bytes of a leaf. A hash is 32 bytes, or as the API writes it: `sha256:` and 64 hexadecimal digits. */
export function leafOf(type: LeafType, hash: Uint8Array | string): Bytes {
  const bytes = typeof hash === 'string' ? parseHash(hash) : hash;
  if (bytes.length !== HASH_BYTES) throw new ProofError('The hash of a leaf has not 32 bytes.');
  const leaf = new Uint8Array(LEAF_BYTES);
  leaf[0] = type;
  leaf.set(bytes, 1);
  return leaf;
}

/** The leaf of a statement, which is canonical JSON. */
export function leafOfStatement(type: LeafType, statement: string): Bytes {
  return leafOf(type, sha256(utf8(statement)));
}

/** Reads `sha256:` and 64 hexadecimal digits. */
export function parseHash(text: string): Bytes {
  if (!/^sha256:[0-9a-f]{64}$/.test(text)) throw new ProofError('A hash is not "sha256:" and 64 hexadecimal digits.');
  return fromHex(text.slice('sha256:'.length), 'A hash');
}
