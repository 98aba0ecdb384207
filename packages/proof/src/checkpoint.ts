import { type Bytes, fromBase64, HASH_BYTES, parseCount, toBase64 } from './bytes.ts';
import { ProofError } from './errors.ts';
import { parseNote } from './note.ts';

/** The tree of a log at a size (c2sp.org/tlog-checkpoint). */
export interface TreeHead {
  origin: string;
  size: number;
  root: Uint8Array;
}

export interface Checkpoint extends TreeHead {
  root: Bytes;
  extensions: string[];
}

export function checkpointBody({ origin, size, root }: TreeHead): string {
  const body = `${origin}\n${size}\n${toBase64(root)}\n`;
  parseCheckpointBody(body);
  return body;
}

/** Reads a signed checkpoint without verifying a signature. */
export function parseCheckpoint(text: string): Checkpoint {
  return parseCheckpointBody(parseNote(text).body);
}

/** Reads the text of a checkpoint without its signatures. */
export function parseCheckpointBody(body: string): Checkpoint {
  const lines = body.split('\n');
  const [origin, size, root, ...extensions] = lines.slice(0, -1);
  if (lines.at(-1) !== '' || !origin || size === undefined || root === undefined || extensions.includes(''))
    throw new ProofError('A checkpoint is not an origin, a size and a root hash, one a line.');
  const hash = fromBase64(root, 'The root hash of a checkpoint');
  if (hash.length !== HASH_BYTES) throw new ProofError('The root hash of a checkpoint has not 32 bytes.');
  return { origin, size: parseCount(size, 'The size of a checkpoint'), root: hash, extensions };
}
