import type { NoteSignature } from '@waybill/proof';

export interface OwnCheckpoint {
  log: number;
  size: number;
  note: string;
  isWitnessed: boolean;
  createdAt: Date;
}

/** A checkpoint with its timestamp, of which the log has no leaf yet. */
export interface UnstatedTimestamp extends OwnCheckpoint {
  token: Buffer;
  /** Lists of revoked certificates are waited for no longer. */
  isLate: boolean;
}

interface TimestampStore {
  /** Returns false if the checkpoint has a timestamp already. */
  keep(log: number, size: number, token: Buffer): Promise<boolean>;
  unstated(most: number): Promise<UnstatedTimestamp[]>;
  noteMissingLists(checkpoint: UnstatedTimestamp): Promise<void>;
  state(checkpoint: UnstatedTimestamp, kept: { time: Date; endsAt: Date; crls: readonly Uint8Array[] }): Promise<void>;
  drop(checkpoint: UnstatedTimestamp): Promise<void>;
}

export interface CheckpointSource {
  newestCheckpoint(): Promise<OwnCheckpoint | undefined>;
  /** Undefined unless the last timestamp is an hour old and the log has grown since, or the last one ends soon. */
  checkpointToTimestamp(): Promise<OwnCheckpoint | undefined>;
  readTile(log: number, level: number, index: number, width: number): Promise<Uint8Array>;
  keepCosignature(
    checkpoint: { log: number; size: number },
    cosignature: NoteSignature,
    isQuorum: (note: string) => boolean,
  ): Promise<boolean>;
  /** Records why the log may not sign. Returns whether the fault is new. */
  reportFault(log: number, fault: string): Promise<boolean>;
  timestamps: TimestampStore;
}
