import { formatNote, type NoteSignature, parseNote } from '@waybill/proof';
import type { Database } from '../../platform/postgres.ts';
import { firstTimestamped, lockNote, setNote, setTimestamp, type TimestampedCheckpoint } from './attestation-store.ts';
import { newestCheckpoint, newestWitnessed, type StoredCheckpoint } from './checkpoint-store.ts';
import type { LogKeys } from './log-keys.ts';
import { allLogs, currentLog, type LogRecord } from './log-store.ts';
import type { Tiles } from './tiles.ts';

/** A witnessed checkpoint that is older than this is not what a timestamp should be of. */
const WITNESSED_LATELY_MS = 3_600_000;

/** Checkpoints of the log, and what others attest of them: cosignatures of witnesses, tokens of a timestamp authority. */
export class AttestedCheckpoints {
  readonly #database: Database;
  readonly #tiles: Tiles;
  readonly #keys: LogKeys;

  constructor(database: Database, tiles: Tiles, keys: LogKeys) {
    this.#database = database;
    this.#tiles = tiles;
    this.#keys = keys;
  }

  /** Of the log that grows. Undefined before its first checkpoint. */
  async newestCheckpoint(): Promise<StoredCheckpoint | undefined> {
    const log = await currentLog(this.#database);
    return log && newestCheckpoint(this.#database, log.number, -1);
  }

  /** The newest that enough witnesses have signed lately, or else the newest. */
  async checkpointToTimestamp(): Promise<StoredCheckpoint | undefined> {
    const newest = await this.newestCheckpoint();
    const witnessed = newest && (await newestWitnessed(this.#database, newest.log, -1));
    const isLate = witnessed && newest.createdAt.getTime() - witnessed.createdAt.getTime() < WITNESSED_LATELY_MS;
    return isLate ? witnessed : newest;
  }

  readTile(log: number, level: number, index: number, width: number): Promise<Buffer> {
    return this.#tiles.read(log, level, index, width);
  }

  /** A log as it is now, with the keys that signed its checkpoints. */
  async readLog(number: number) {
    const log = (await allLogs(this.#database)).find((one) => one.number === number);
    if (!log) throw new Error(`there is no log ${number}`);
    return this.withKeys(log);
  }

  async withKeys({ number, origin, size }: LogRecord) {
    const keys = await this.#keys.verifiersOf(this.#database, { number, origin });
    const readTile = (level: number, index: number, width: number) => this.readTile(number, level, index, width);
    return { number, origin, size, keys, readTile };
  }

  /** Adds a cosignature to a checkpoint, in place of an older one of the same witness. Returns whether the checkpoint has enough of them now. */
  keepCosignature(
    { log, size }: { log: number; size: number },
    cosignature: NoteSignature,
    isQuorum: (note: string) => Promise<boolean>,
  ): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      const note = await lockNote(tx, log, size);
      if (note === undefined) return false;
      const { body, signatures } = parseNote(note);
      const others = signatures.filter(({ name, keyId }) => name !== cosignature.name || keyId !== cosignature.keyId);
      const cosigned = formatNote({ body, signatures: [...others, cosignature] });
      const isWitnessed = await isQuorum(cosigned);
      await setNote(tx, log, size, cosigned, isWitnessed);
      return isWitnessed;
    });
  }

  /** False if the checkpoint is not kept any more, or has a timestamp. */
  keepTimestamp(log: number, size: number, token: Uint8Array): Promise<boolean> {
    return setTimestamp(this.#database, log, size, token);
  }

  /** The oldest timestamped checkpoint with the leaf of this index. */
  timestampedCheckpointFor(log: number, index: number): Promise<TimestampedCheckpoint | undefined> {
    return firstTimestamped(this.#database, log, index);
  }
}
