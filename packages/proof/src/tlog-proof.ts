import { fromBase64, HASH_BYTES, parseCount, toBase64 } from './bytes.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { ProofError } from './errors.ts';
import { leafHash, PROOF_HASHES_MAX, verifyInclusion } from './merkle.ts';
import { NOTE_BYTES_MAX } from './note.ts';
import { type AcceptedCheckpoint, openCheckpoint, type Policy, requireOneHistory } from './policy.ts';

/** The proof that a leaf is in a log (c2sp.org/tlog-proof). */
export interface TlogProof {
  index: number;
  hashes: Uint8Array[];
  /** The signed note of the checkpoint. */
  checkpoint: string;
}

export interface VerifiedProof extends AcceptedCheckpoint {
  index: number;
}

const FIRST_LINE = 'c2sp.org/tlog-proof@v1';
export const PROOF_CHARACTERS_MAX = NOTE_BYTES_MAX + 4_096;

export function formatProof({ index, hashes, checkpoint }: TlogProof): string {
  const text = [FIRST_LINE, `index ${index}`, ...hashes.map(toBase64), '', checkpoint].join('\n');
  parseProof(text);
  return text;
}

/** Reads a proof without verifying it. Waybill's proofs have no `extra` line: nothing would vouch for it, so it is refused. */
export function parseProof(text: string): TlogProof {
  if (text.length > PROOF_CHARACTERS_MAX) throw new ProofError(`A proof is longer than ${PROOF_CHARACTERS_MAX} characters.`);
  const separator = text.indexOf('\n\n');
  const [first, index, ...hashes] = text.slice(0, Math.max(0, separator)).split('\n');
  if (first !== FIRST_LINE) throw new ProofError(`A proof does not begin with the line ${FIRST_LINE}.`);
  if (index?.startsWith('extra ')) throw new ProofError('A proof has extra data, which nothing vouches for.');
  if (!index?.startsWith('index ')) throw new ProofError('A proof has no index.');
  if (hashes.length > PROOF_HASHES_MAX) throw new ProofError(`A proof has more than ${PROOF_HASHES_MAX} hashes.`);
  const checkpoint = text.slice(separator + 2);
  parseCheckpoint(checkpoint);
  return { index: parseCount(index.slice('index '.length), 'The index of a proof'), hashes: hashes.map(parseProofHash), checkpoint };
}

/** Throws unless the leaf is in a checkpoint that a log of the policy signed. The quorum of witnesses is reported. */
export async function verifyProof(text: string, leaf: Uint8Array, policy: Policy): Promise<VerifiedProof> {
  const { index, hashes, checkpoint } = parseProof(text);
  const accepted = await openCheckpoint(checkpoint, policy);
  const { size, root } = accepted.checkpoint;
  if (!verifyInclusion({ index, size, root }, leafHash(leaf), hashes))
    throw new ProofError('The proof does not lead to the root of the log.', 'not-in-the-log');
  requireOneHistory(accepted.checkpoint, policy);
  return { ...accepted, index };
}

function parseProofHash(line: string): Uint8Array {
  const hash = fromBase64(line, 'A hash of a proof');
  if (hash.length !== HASH_BYTES) throw new ProofError('A hash of a proof has not 32 bytes.');
  return hash;
}
