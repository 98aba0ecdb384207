import type { NoteSignature } from '@waybill/proof';

export interface OwnCheckpoint {
  log: number;
  size: number;
  note: string;
  isWitnessed: boolean;
  createdAt: Date;
}

export interface CheckpointSource {
  newestCheckpoint(): Promise<OwnCheckpoint | undefined>;
  /** Undefined unless the last timestamp is an hour old and the log has grown since. */
  checkpointToTimestamp(): Promise<OwnCheckpoint | undefined>;
  readTile(log: number, level: number, index: number, width: number): Promise<Uint8Array>;
  keepCosignature(
    checkpoint: { log: number; size: number },
    cosignature: NoteSignature,
    isQuorum: (note: string) => boolean,
  ): Promise<boolean>;
  /** Records why the log may not sign. Returns whether the fault is new. */
  reportFault(log: number, fault: string): Promise<boolean>;
  keepTimestamp(log: number, size: number, token: Buffer): Promise<void>;
}
