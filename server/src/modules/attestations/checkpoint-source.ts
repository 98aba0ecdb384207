import type { NoteSignature } from '@waybill/proof';

export interface OwnCheckpoint {
  log: number;
  size: number;
  note: string;
  isWitnessed: boolean;
  createdAt: Date;
}

export interface CheckpointSource {
  /** The newest checkpoint of the log that grows. Undefined before the first one. */
  newestCheckpoint(): Promise<OwnCheckpoint | undefined>;
  /** Undefined unless the last timestamp is an hour old and the log has grown since. */
  checkpointToTimestamp(): Promise<OwnCheckpoint | undefined>;
  readTile(log: number, level: number, index: number, width: number): Promise<Uint8Array>;
  /** Adds a cosignature to a checkpoint, and returns whether the checkpoint has a quorum now. */
  keepCosignature(
    checkpoint: { log: number; size: number },
    cosignature: NoteSignature,
    isQuorum: (note: string) => boolean,
  ): Promise<boolean>;
  /** Reports why nothing may be signed. Returns whether it is news. */
  reportFault(log: number, fault: string): Promise<boolean>;
  keepTimestamp(log: number, size: number, token: Buffer): Promise<void>;
}
