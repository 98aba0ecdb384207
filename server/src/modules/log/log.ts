import {
  formatEntryBundle,
  formatProof,
  formatVkey,
  inclusionProof,
  LEAF_BYTES,
  type NoteSignature,
  parseCheckpoint,
  TILE_WIDTH,
  tileWidth,
} from '@waybill/proof';
import { sha256 } from '../../contract/sha256.ts';
import { WITNESSED_PATIENCE_S } from '../../contract/witness-limits.ts';
import type { NamedObjects } from '../../platform/objects/named-objects.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { type Location, placeOfSlot, slotOfMessage, slotsOfFiles } from './batch-store.ts';
import * as checkpoints from './checkpoint-store.ts';
import { newestCheckpoint, newestWitnessed, type StoredCheckpoint } from './checkpoint-store.ts';
import { readLeaves } from './leaves.ts';
import type { LogKeys } from './log-keys.ts';
import { logFault } from './log-status.ts';
import * as store from './log-store.ts';
import { readPublished } from './publication.ts';
import type { Tiles } from './tiles.ts';
import { LogTimestamps } from './timestamps.ts';
import { EMPTY_ROOT } from './tree.ts';

export type { Location } from './batch-store.ts';

export interface PartySlot {
  partyId: bigint;
  batchId: string;
  slot: number;
}

export interface LogView {
  number: number;
  origin: string;
  /** The key that signs now, then those before, each with the note that it signed, which names its successor. */
  keys: { vkey: string; succession: string | null }[];
  isEnded: boolean;
}

/** The transparency log: the locations of leaves, its tiles and checkpoints, and proofs. The sequencer writes it. */
export class Log {
  readonly timestamps: LogTimestamps;
  readonly #database: Database;
  readonly #tiles: Tiles;
  readonly #keys: LogKeys;
  readonly #objects: NamedObjects;
  /** Key: log. Value: the size of a checkpoint in the database that no published one exceeded. */
  readonly #upToDate = new Map<number, number>();
  /** Key: log. Value: a published size, which never shrinks. */
  readonly #published = new Map<number, number>();

  constructor(database: Database, tiles: Tiles, keys: LogKeys, objects: NamedObjects) {
    this.timestamps = new LogTimestamps(database, (batchId) => this.locate({ partyId: 0n, batchId, slot: 0 }));
    this.#database = database;
    this.#tiles = tiles;
    this.#keys = keys;
    this.#objects = objects;
  }

  /**
   * Creates the first log and its key, unless there is one. Its origin is the URL without the scheme, and stays when the URL changes: then
   * the former origin is returned.
   */
  async ensure(publicUrl: string): Promise<string | undefined> {
    const origin = `${publicUrl.replace(/^https?:\/\//, '')}/log`;
    const [first] = await store.allLogs(this.#database);
    if (first) return first.origin === origin ? undefined : first.origin;
    await this.#database.transaction(async (tx) => {
      if (await store.createLog(tx, 1, origin, EMPTY_ROOT)) await store.addKey(tx, 1, { ...this.#keys.firstOf(1), succession: null });
    });
    return undefined;
  }

  async logs(): Promise<LogView[]> {
    const logs = await store.allLogs(this.#database);
    return Promise.all(
      logs.map(async ({ number, origin, isEnded }) => ({
        number,
        origin,
        isEnded,
        keys: (await this.#keys.historyOf(this.#database, { number, origin })).map(({ key, succession }) => ({
          vkey: formatVkey(key),
          succession,
        })),
      })),
    );
  }

  /** Returns 'unlogged' for a message that is older than the log, and undefined while the leaf has no index yet. */
  async locateMessage(senderId: bigint, messageId: string): Promise<Location | 'unlogged' | undefined> {
    const shard = this.#database.of(senderId);
    const found = await slotOfMessage(shard, senderId, messageId);
    if (!found) return 'unlogged';
    return found.isHere ? found.location : this.#locateElsewhere(shard, found.batchId, found.slot);
  }

  async locate({ partyId, batchId, slot }: PartySlot): Promise<Location | undefined> {
    const shard = this.#database.of(partyId);
    return (await placeOfSlot(shard, batchId, slot)) ?? this.#locateElsewhere(shard, batchId, slot);
  }

  /** Locates the files of a message that were hashed after its delivery. Key: file id. Undefined: the leaf has no index yet. */
  async locateFiles(senderId: bigint, messageId: string): Promise<Map<string, Location | undefined>> {
    const shard = this.#database.of(senderId);
    const places = new Map<string, Location | undefined>();
    for (const { fileId, batchId, slot, isHere, location } of await slotsOfFiles(shard, senderId, messageId))
      places.set(fileId, isHere ? location : await this.#locateElsewhere(shard, batchId, slot));
    return places;
  }

  /** A batch that is older than the shards may be in any of them. */
  async #locateElsewhere(known: Database, batchId: string, slot: number): Promise<Location | undefined> {
    for (const shard of this.#database.shards) {
      const found = shard === known ? undefined : await placeOfSlot(shard, batchId, slot);
      if (found) return found;
    }
    return undefined;
  }

  readTile(log: number, level: number, index: number, width: number): Promise<Buffer> {
    return this.#tiles.read(log, level, index, width);
  }

  async publishedTile(log: number, level: number, index: number, width: number): Promise<Buffer | undefined> {
    return (await this.#isPublished(log, level, index, width)) ? this.readTile(log, level, index, width) : undefined;
  }

  /** The leaves below a tile of level 0. Undefined beyond the published checkpoint. */
  async publishedEntries(log: number, index: number, width: number): Promise<Uint8Array | undefined> {
    if (!(await this.#isPublished(log, 0, index, width))) return undefined;
    const first = index * TILE_WIDTH;
    const leaves = await readLeaves(this.#database, log, first, first + width);
    return formatEntryBundle(Array.from({ length: width }, (_, at) => leaves.subarray(at * LEAF_BYTES, (at + 1) * LEAF_BYTES)));
  }

  /** Prefers the newest checkpoint with a quorum of witnesses that includes the leaf. */
  async checkpointFor(log: number, index: number): Promise<StoredCheckpoint | undefined> {
    return (await newestWitnessed(this.#database, log, index)) ?? newestCheckpoint(this.#database, log, index);
  }

  /** The text of c2sp.org/tlog-proof, or 'pending' until the leaf is in a checkpoint. */
  async proofOf(location: Location): Promise<string | 'pending'> {
    const checkpoint = await this.checkpointFor(location.log, location.index);
    return checkpoint ? this.proofIn(checkpoint, location) : 'pending';
  }

  async proofIn({ size, note }: Pick<StoredCheckpoint, 'size' | 'note'>, { log, index }: Location): Promise<string> {
    const hashes = await inclusionProof(index, size, (...tile) => this.readTile(log, ...tile), sha256);
    return formatProof({ index, hashes, checkpoint: note });
  }

  /** The newest checkpoint with a quorum of witnesses. If they have been silent for long, it is one without: the log goes on. */
  async servedCheckpoint(log: number): Promise<StoredCheckpoint | undefined> {
    const witnessed = await newestWitnessed(this.#database, log, -1);
    const isLate = !witnessed || (await checkpoints.isUnwitnessedSince(this.#database, log, witnessed.size, WITNESSED_PATIENCE_S));
    return isLate ? newestCheckpoint(this.#database, log, -1) : witnessed;
  }

  /**
   * The note that everybody gets. In a database that was restored from a backup, it is older than the last published one, and clients that
   * have seen the published one would take the log for forked. Then this is the published note, until the operator ends the log.
   */
  async shownNote(log: number): Promise<string | undefined> {
    const size = (await newestCheckpoint(this.#database, log, -1))?.size ?? -1;
    const mayBeOlder = size >= 0 && size < (this.#upToDate.get(log) ?? Number.POSITIVE_INFINITY);
    if (mayBeOlder && (await store.currentLog(this.#database))?.number === log) {
      const note = await readPublished(this.#objects, log);
      if (note !== undefined && parseCheckpoint(note).size > size) return note;
    }
    if (size >= 0) this.#upToDate.set(log, size);
    return (await this.servedCheckpoint(log))?.note;
  }

  /** Whether witnesses still have time to sign a checkpoint with the leaf. The database's clock decides. */
  async awaitsWitnesses({ log, index }: Location): Promise<boolean> {
    return !(await checkpoints.isUnwitnessedSince(this.#database, log, index, WITNESSED_PATIENCE_S));
  }

  async newestCheckpoint(): Promise<StoredCheckpoint | undefined> {
    const log = await store.currentLog(this.#database);
    return log && newestCheckpoint(this.#database, log.number, -1);
  }

  async readLog(number: number) {
    const log = (await store.allLogs(this.#database)).find((one) => one.number === number);
    if (!log) throw new Error(`there is no log ${number}`);
    const keys = await this.#keys.verifiersOf(this.#database, log);
    const readTile = (level: number, index: number, width: number) => this.readTile(number, level, index, width);
    return { number, origin: log.origin, size: log.size, keys, readTile };
  }

  keepCosignature(
    { log, size }: { log: number; size: number },
    cosignature: NoteSignature,
    isQuorum: (note: string) => boolean,
  ): Promise<boolean> {
    return this.#database.transaction((tx) => checkpoints.addCosignature(tx, log, size, cosignature, isQuorum));
  }

  async checkpointToTimestamp(): Promise<StoredCheckpoint | undefined> {
    const log = await store.currentLog(this.#database);
    const newest = log && (await this.servedCheckpoint(log.number));
    // A timestamp of the empty tree would be of no message, and keep the first messages waiting for the next one.
    if (newest?.size === 0) return undefined;
    return newest && (await this.timestamps.isDue(newest.log, newest.size)) ? newest : undefined;
  }

  reportFault(log: number, fault: string): Promise<boolean> {
    return store.setFault(this.#database, log, fault);
  }

  fault(): Promise<string | null> {
    return logFault(this.#database);
  }

  async #isPublished(log: number, level: number, index: number, width: number): Promise<boolean> {
    const isWithin = (size: number) => tileWidth(level, index, size) >= width;
    if (isWithin(this.#published.get(log) ?? 0)) return true;
    const newest = await newestCheckpoint(this.#database, log, -1);
    if (newest) this.#published.set(log, newest.size);
    return newest !== undefined && isWithin(newest.size);
  }
}
