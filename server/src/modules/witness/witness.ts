import {
  type Checkpoint,
  formatNote,
  type NoteSignature,
  noteVerifier,
  openNote,
  ProofError,
  parseCheckpointBody,
  parseNote,
  type Signer,
  signatureLine,
  type VerifierKey,
  verifyConsistency,
} from '@waybill/proof';
import type { Logger } from 'pino';
import { type AddCheckpoint, parseAddCheckpoint, TREE_SIZE_TYPE } from '../../contract/add-checkpoint.ts';
import { WITNESS_WAITING_MAX } from '../../contract/witness-limits.ts';
import { type CosignedCheckpoints, originHash } from './cosigned-checkpoints.ts';

export interface WitnessResponse {
  status: number;
  type: string;
  body: string;
}

interface Parsed extends AddCheckpoint {
  checkpoint: Checkpoint;
  body: string;
  signatures: NoteSignature[];
}

const EMPTY_ROOT = Buffer.from('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'hex');

/** Cosigns checkpoints of known logs, each only if it continues the last cosigned one. */
export class Witness {
  readonly #keysByOrigin: ReadonlyMap<string, readonly VerifierKey[]>;
  readonly #cosigned: CosignedCheckpoints;
  readonly #signer: Signer;
  readonly #log: Logger;
  readonly #turns = new Map<string, { last: Promise<unknown>; waiting: number }>();

  constructor(logs: readonly VerifierKey[], cosigned: CosignedCheckpoints, signer: Signer, log: Logger) {
    this.#keysByOrigin = Map.groupBy(logs, ({ name }) => name);
    this.#cosigned = cosigned;
    this.#signer = signer;
    this.#log = log;
  }

  checkpointOf(hash: string): string | undefined {
    return this.#cosigned.of(hash)?.note;
  }

  async addCheckpoint(text: string): Promise<WitnessResponse> {
    const request = parsedOrProblem(text);
    if (typeof request === 'string') return plain(400, request);
    const { checkpoint, note, oldSize } = request;
    const keys = this.#keysByOrigin.get(checkpoint.origin);
    if (!keys) return plain(404, 'This witness does not know the log.');
    try {
      await openNote(note, keys.map(noteVerifier));
    } catch (error) {
      if (error instanceof ProofError) return plain(403, error.message);
      throw error;
    }
    if (oldSize > checkpoint.size) return plain(400, 'The old size is larger than the checkpoint.');
    return this.#inTurn(checkpoint.origin, () => this.#cosign(request));
  }

  /** Runs one request at a time per log: no checkpoint may come between the comparison with the last one and the record of the new one. */
  async #inTurn(origin: string, work: () => Promise<WitnessResponse>): Promise<WitnessResponse> {
    const turn = this.#turns.get(origin) ?? { last: Promise.resolve(), waiting: 0 };
    if (turn.waiting >= WITNESS_WAITING_MAX) return plain(503, 'Too many checkpoints of this log are waiting.');
    this.#turns.set(origin, turn);
    turn.waiting++;
    const result = turn.last.then(work);
    turn.last = result.catch(() => {});
    try {
      return await result;
    } finally {
      turn.waiting--;
      if (turn.waiting === 0) this.#turns.delete(origin);
    }
  }

  async #cosign({ oldSize, consistencyProof, checkpoint, body, signatures, note }: Parsed): Promise<WitnessResponse> {
    const { origin, size, root } = checkpoint;
    const known = this.#cosigned.of(originHash(origin)) ?? { size: 0, root: EMPTY_ROOT, note: '' };
    if (oldSize !== known.size) return { status: 409, type: TREE_SIZE_TYPE, body: `${known.size}\n` };
    if (!verifyConsistency({ oldSize, oldRoot: known.root, size, root }, consistencyProof)) {
      // The log has signed both checkpoints. Without a proof from one to the other they can't be of one history.
      this.#log.warn({ origin, cosigned: known.note, refused: note }, 'a checkpoint does not continue the one that was cosigned');
      return plain(422, 'The checkpoint does not continue the one that was cosigned before.');
    }
    const cosignature: NoteSignature = { ...this.#signer, signature: Uint8Array.from(await this.#signer.sign(body)) };
    const trusted = new Set(this.#keysByOrigin.get(origin)?.map(({ keyId }) => keyId));
    const ofLog = signatures.filter(({ name, keyId }) => name === origin && trusted.has(keyId));
    await this.#cosigned.record({ origin, size, root, note: formatNote({ body, signatures: [...ofLog, cosignature] }) });
    return { status: 200, type: 'text/plain; charset=utf-8', body: signatureLine(cosignature) };
  }
}

function parsedOrProblem(text: string): Parsed | string {
  try {
    const request = parseAddCheckpoint(text);
    const { body, signatures } = parseNote(request.note);
    return { ...request, checkpoint: parseCheckpointBody(body), body, signatures };
  } catch (error) {
    if (error instanceof ProofError) return error.message;
    throw error;
  }
}

export function plain(status: number, sentence: string): WitnessResponse {
  return { status, type: 'text/plain; charset=utf-8', body: `${sentence}\n` };
}
