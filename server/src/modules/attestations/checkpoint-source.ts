import type { NoteSignature } from '@waybill/proof';

/** A checkpoint of a log of the service. */
export interface OwnCheckpoint {
  log: number;
  size: number;
  /** With the signatures that it has. */
  note: string;
  isWitnessed: boolean;
  createdAt: Date;
}

/** What those who collect attestations need of the log. */
export interface CheckpointSource {
  /** Of the log that grows. Undefined before its first checkpoint. */
  newestCheckpoint(): Promise<OwnCheckpoint | undefined>;
  /** Undefined unless the last timestamp is an hour old and there is something new since. */
  checkpointToTimestamp(): Promise<OwnCheckpoint | undefined>;
  readTile(log: number, level: number, index: number, width: number): Promise<Uint8Array>;
  /** Adds a cosignature to a checkpoint, and returns whether it has enough of them now. */
  keepCosignature(
    checkpoint: { log: number; size: number },
    cosignature: NoteSignature,
    isQuorum: (note: string) => boolean,
  ): Promise<boolean>;
  /** Tells why nothing may be signed. Whether it is news. */
  reportFault(log: number, fault: string): Promise<boolean>;
  keepTimestamp(log: number, size: number, token: Buffer): Promise<void>;
}
