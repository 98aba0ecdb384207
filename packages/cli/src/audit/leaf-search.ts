import { type AcceptedCheckpoint, openCheckpoint, type Policy, ProofError, type TreeHead } from '@waybill/proof';
import { follow } from './follow.ts';
import type { LogSource } from './log-source.ts';
import { type Tile, TreeEdge } from './tree-edge.ts';
import { LogIsWrong, LogUnreachable } from './verdicts.ts';

const CHECKPOINT_MAX_BYTES = 64 * 1024;

interface Served extends AcceptedCheckpoint {
  note: string;
}

/** The checkpoint that the log shows now, signed by a log of the policy. */
export async function servedCheckpoint(source: LogSource, policy: Policy): Promise<Served> {
  const bytes = await source.find('checkpoint', CHECKPOINT_MAX_BYTES);
  if (!bytes) throw new LogUnreachable('There is no public log at this address.');
  const note = bytes.toString('utf8');
  try {
    return { ...(await openCheckpoint(note, policy)), note };
  } catch (error) {
    throw error instanceof ProofError ? new LogIsWrong(`its checkpoint is not valid: ${error.message}`) : error;
  }
}

/**
 * Reads every entry of a log up to a checkpoint. All of them must lead to its root: so a leaf that is not found is not in the tree that the
 * log has signed. Returns the index of the leaf.
 */
export async function findLeaf(
  source: LogSource,
  target: TreeHead,
  leaf: Uint8Array,
  onProgress: (done: number, total: number) => void,
): Promise<number | undefined> {
  const edge = new SearchingEdge(leaf);
  await follow({ source, edge, known: undefined, target, onFull: () => onProgress(edge.size, target.size) });
  onProgress(target.size, target.size);
  return edge.found;
}

/** Notes the index of the first leaf that is the one looked for. */
class SearchingEdge extends TreeEdge {
  readonly #wanted: Buffer;
  #found: number | undefined;

  constructor(wanted: Uint8Array) {
    super();
    this.#wanted = Buffer.from(wanted);
  }

  get found(): number | undefined {
    return this.#found;
  }

  override append(leaf: Uint8Array, onFull: (tile: Tile) => void): void {
    if (this.#found === undefined && this.#wanted.equals(leaf)) this.#found = this.size;
    super.append(leaf, onFull);
  }
}
