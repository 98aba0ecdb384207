import { ProofError } from '@waybill/proof';

/** The request of a log to a witness (c2sp.org/tlog-witness): cosign a checkpoint that follows the last cosigned one. */
export interface AddCheckpoint {
  oldSize: number;
  consistencyProof: Uint8Array[];
  note: string;
}

const PROOF_LINES_MAX = 63;
const HASH_LINE = /^[A-Za-z0-9+/]{43}=$/;

export const TREE_SIZE_TYPE = 'text/x.tlog.size';

export function formatAddCheckpoint({ oldSize, consistencyProof, note }: AddCheckpoint): string {
  const hashes = consistencyProof.map((hash) => `${Buffer.from(hash).toString('base64')}\n`);
  return `old ${oldSize}\n${hashes.join('')}\n${note}`;
}

export function parseAddCheckpoint(body: string): AddCheckpoint {
  const end = body.indexOf('\n\n');
  const [first = '', ...hashes] = body.slice(0, Math.max(0, end)).split('\n');
  const [, size] = /^old (0|[1-9]\d{0,15})$/.exec(first) ?? [];
  if (size === undefined || !Number.isSafeInteger(Number(size))) throw new ProofError('The first line is not "old" and a tree size.');
  if (hashes.length > PROOF_LINES_MAX) throw new ProofError(`The consistency proof has more than ${PROOF_LINES_MAX} hashes.`);
  return { oldSize: Number(size), consistencyProof: hashes.map(parseHash), note: body.slice(end + 2) };
}

function parseHash(line: string): Buffer {
  const hash = Buffer.from(line, 'base64');
  // Set bits in the padding would give the same hash a second form.
  if (!HASH_LINE.test(line) || hash.toString('base64') !== line)
    throw new ProofError('A line of the consistency proof is not a hash in base64.');
  return hash;
}
