import { BUNDLE_BYTES_MAX, LEAF, leafOfStatement, parseNote, RENEWALS_MAX } from '@waybill/proof';
import { LOG_TIMESTAMP_NOTICE_DAYS, LOG_TIMESTAMP_RENEWED_BEFORE_DAYS } from '../../contract/log-limits.ts';
import { sha256 } from '../../contract/sha256.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { type Location, logLeaves } from './batch-store.ts';
import { currentLog, databaseTime } from './log-store.ts';
import { timestampStatement } from './statements.ts';
import type { StampedCheckpoint } from './timestamp-store.ts';
import * as store from './timestamp-store.ts';

export type { StampedCheckpoint } from './timestamp-store.ts';

/** A proof has lists of revoked certificates as long as they are no larger than this together. */
const CRLS_BYTES_MAX = BUNDLE_BYTES_MAX / 8;
const DAY_MS = 86_400_000;

/** What is known of a timestamp that is kept. */
export interface KeptTimestamp {
  time: Date;
  endsAt: Date;
  crls: readonly Uint8Array[];
}

export interface Renewal {
  statement: string;
  /** Where the log has the statement. */
  location: Location;
  checkpoint: StampedCheckpoint;
}

/** The timestamps of the log's checkpoints. Each is a leaf of the log, with its lists of revoked certificates: so the next one vouches for it. */
export class LogTimestamps {
  readonly #database: Database;
  readonly #locate: (batchId: string) => Promise<Location | undefined>;

  constructor(database: Database, locate: (batchId: string) => Promise<Location | undefined>) {
    this.#database = database;
    this.#locate = locate;
  }

  /** Checkpoints are in the directory, and the leaves about timestamps in a shard: on Citus, both are seen in transactions only. */
  isDue(log: number, size: number): Promise<boolean> {
    return this.#database.acrossShards((of) => store.isTimestampDue(of(0n), log, size));
  }

  keep(log: number, size: number, token: Buffer): Promise<boolean> {
    return store.setTimestamp(this.#database, log, size, token);
  }

  drop({ log, size }: { log: number; size: number }): Promise<void> {
    return store.dropTimestamp(this.#database, log, size);
  }

  unstated(most: number): Promise<(StampedCheckpoint & { isLate: boolean })[]> {
    return store.unstatedTimestamps(this.#database, most);
  }

  noteMissingLists({ log, size }: { log: number; size: number }): Promise<void> {
    return store.noteMissingLists(this.#database, log, size);
  }

  /** Writes the leaf about a timestamp. */
  state(checkpoint: Omit<StampedCheckpoint, 'stated'>, { time, endsAt, crls }: KeptTimestamp): Promise<void> {
    return this.#database.acrossShards(async (of) => {
      const tx = of(0n);
      const kept = new Map(crls.map((crl) => [nameOf(crl), crl]));
      for (const [hash, crl] of kept) await store.addCrl(tx, hash, crl);
      const hashes = [...kept.keys()].toSorted();
      const { size, note, token } = checkpoint;
      const named = { checkpoint: nameOf(Buffer.from(parseNote(note).body)), crls: hashes, size, token: nameOf(token) };
      const statement = timestampStatement({ at: await databaseTime(tx), ...named });
      const batchId = await logLeaves(tx, leafOfStatement(LEAF.timestamp, statement));
      const isFirst = await store.stateTimestamp(tx, checkpoint, { time, endsAt, crls: hashes, statement, batchId });
      if (!isFirst) throw new Error('another process has written the leaf about a timestamp');
    });
  }

  firstFor(log: number, index: number): Promise<StampedCheckpoint | undefined> {
    return store.firstStamped(this.#database, log, index);
  }

  /** Those that vouch for a timestamp which has ended, or will soon, as far as there are any. */
  async renewalsOf(first: StampedCheckpoint): Promise<Renewal[]> {
    const soon = new Date((await databaseTime(this.#database)).getTime() + LOG_TIMESTAMP_RENEWED_BEFORE_DAYS * DAY_MS);
    const renewals: Renewal[] = [];
    for (let { stated } = first; stated && stated.endsAt < soon && renewals.length < RENEWALS_MAX; ) {
      const location = await this.#locate(stated.batchId);
      const checkpoint = location && (await store.longestStamped(this.#database, location.log, location.index, stated.endsAt));
      if (!checkpoint) break;
      renewals.push({ statement: stated.statement, location, checkpoint });
      stated = checkpoint.stated;
    }
    return renewals;
  }

  /** The lists that are kept with these timestamps, in the same order. */
  async crlsOf(checkpoints: readonly StampedCheckpoint[]): Promise<Buffer[][]> {
    let bytes = 0;
    const found: Buffer[][] = [];
    for (const { stated } of checkpoints) {
      const crls = stated && stated.crls.length > 0 ? await store.crlsOf(this.#database, stated.crls) : [];
      bytes += crls.reduce((sum, { length }) => sum + length, 0);
      found.push(bytes > CRLS_BYTES_MAX ? [] : crls);
    }
    return found;
  }

  /** Tells if the newest timestamp ends soon: the authority has no other certificate yet, or is asked no more. */
  async notice(): Promise<string | undefined> {
    const log = await currentLog(this.#database);
    const endsAt = log && (await store.newestTimestampEnd(this.#database, log.number));
    const days = endsAt && (endsAt.getTime() - (await databaseTime(this.#database)).getTime()) / DAY_MS;
    if (!endsAt || days === undefined || days > LOG_TIMESTAMP_NOTICE_DAYS) return undefined;
    return `The certificate of the timestamp authority, or its algorithm, ends at ${endsAt.toISOString()}. Without another one by then, timestamps prove nothing afterwards`;
  }
}

function nameOf(bytes: Uint8Array): string {
  return `sha256:${Buffer.from(sha256(bytes)).toString('hex')}`;
}
