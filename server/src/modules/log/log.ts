import { formatEntryBundle, formatProof, inclusionProof, LEAF_BYTES, TILE_WIDTH, tileWidth } from '@waybill/proof';
import type { Database } from '../../platform/postgres.ts';
import { type Location, placeOfSlot, slotOfMessage } from './batch-store.ts';
import { newestCheckpoint, newestWitnessed, type StoredCheckpoint } from './checkpoint-store.ts';
import { readLeaves } from './leaves.ts';
import type { LogKeys } from './log-keys.ts';
import * as store from './log-store.ts';
import type { Tiles } from './tiles.ts';
import { EMPTY_ROOT, sha256 } from './tree.ts';

export type { Location } from './batch-store.ts';

/** A leaf of a batch that a party's transaction has written (log_leaves). */
export interface PartySlot {
  partyId: bigint;
  batchId: string;
  slot: number;
}

/** A log as it is published. */
export interface LogView {
  number: number;
  origin: string;
  /** Of the key that signs now, then of those before. */
  vkeys: string[];
  isEnded: boolean;
}

/** The transparency log: where leaves are in it, its tiles and checkpoints, and proofs. The sequencer writes it. */
export class Log {
  readonly #database: Database;
  readonly #tiles: Tiles;
  readonly #keys: LogKeys;
  /** Sizes that were published: they never shrink. */
  readonly #published = new Map<number, number>();

  constructor(database: Database, tiles: Tiles, keys: LogKeys) {
    this.#database = database;
    this.#tiles = tiles;
    this.#keys = keys;
  }

  /** Creates the first log and its key, unless there is one. Its origin is the URL without the scheme. */
  async ensure(publicUrl: string): Promise<void> {
    if (await store.currentLog(this.#database)) return;
    const { publicKey, secret } = this.#keys.create(1);
    await this.#database.transaction(async (tx) => {
      if (await store.createLog(tx, 1, `${publicUrl.replace(/^https?:\/\//, '')}/log`, EMPTY_ROOT))
        await store.addKey(tx, 1, { publicKey, secret, succession: null });
    });
  }

  /** All logs with their keys, the one that grows last. */
  async logs(): Promise<LogView[]> {
    const logs = await store.allLogs(this.#database);
    return Promise.all(
      logs.map(async ({ number, origin, isEnded }) => ({
        number,
        origin,
        isEnded,
        vkeys: await this.#keys.vkeysOf(this.#database, { number, origin }),
      })),
    );
  }

  /** 'unlogged' for a message that is older than the log; undefined while the leaf has no place yet. */
  async locateMessage(senderId: bigint, messageId: string): Promise<Location | 'unlogged' | undefined> {
    const shard = this.#database.of(senderId);
    const found = await slotOfMessage(shard, senderId, messageId);
    if (!found) return 'unlogged';
    return found.location ?? this.#locateElsewhere(shard, found.batchId, found.slot);
  }

  /** Undefined while the leaf has no place yet. */
  async locate({ partyId, batchId, slot }: PartySlot): Promise<Location | undefined> {
    const shard = this.#database.of(partyId);
    return (await placeOfSlot(shard, batchId, slot)) ?? this.#locateElsewhere(shard, batchId, slot);
  }

  /** A batch that is older than the shards is in one of them. */
  async #locateElsewhere(known: Database, batchId: string, slot: number): Promise<Location | undefined> {
    for (const shard of this.#database.shards) {
      const found = shard === known ? undefined : await placeOfSlot(shard, batchId, slot);
      if (found) return found;
    }
    return undefined;
  }

  /** The first hashes of a tile. */
  readTile(log: number, level: number, index: number, width: number): Promise<Buffer> {
    return this.#tiles.read(log, level, index, width);
  }

  /** Undefined beyond the published checkpoint. */
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

  /** The newest checkpoint that includes the leaf; one that enough witnesses have signed, if there is one. */
  async checkpointFor(log: number, index: number): Promise<StoredCheckpoint | undefined> {
    return (await newestWitnessed(this.#database, log, index)) ?? newestCheckpoint(this.#database, log, index);
  }

  /** The text of c2sp.org/tlog-proof, or 'pending' until the leaf is in a checkpoint. */
  async proofOf(location: Location): Promise<string | 'pending'> {
    const checkpoint = await this.checkpointFor(location.log, location.index);
    return checkpoint ? this.proofIn(checkpoint, location) : 'pending';
  }

  /** A proof that leads to a certain checkpoint. */
  async proofIn({ size, note }: Pick<StoredCheckpoint, 'size' | 'note'>, { log, index }: Location): Promise<string> {
    const hashes = await inclusionProof(index, size, (...tile) => this.readTile(log, ...tile), sha256);
    return formatProof({ index, hashes, checkpoint: note });
  }

  async #isPublished(log: number, level: number, index: number, width: number): Promise<boolean> {
    const isWithin = (size: number) => tileWidth(level, index, size) >= width;
    if (isWithin(this.#published.get(log) ?? 0)) return true;
    const newest = await newestCheckpoint(this.#database, log, -1);
    if (newest) this.#published.set(log, newest.size);
    return newest !== undefined && isWithin(newest.size);
  }
}
