import { LOG_LATE_AFTER_S } from '../../contract/log-limits.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { countWaiting, oldestUnpublishedSeconds } from './batch-store.ts';
import { newestCheckpoint } from './checkpoint-store.ts';
import { currentLog, databaseTime } from './log-store.ts';
import { newestTimestampEnd } from './timestamp-store.ts';

const WAITING_MAX = 1_000;

export interface LogStatus {
  origin: string;
  sequenced: number;
  /** The number of leaves in the newest checkpoint, and its age. An idle log needs no newer one. */
  checkpointSize: number;
  checkpointAgeSeconds: number | null;
  /** The batches without an index, at most 1,000 in each shard. */
  waitingBatches: number;
  waitingSeconds: number;
  /** When the certificate or an algorithm of the newest timestamp ends. Null: there is none, or the log has no leaf about it yet. */
  timestampEndsAt: Date | null;
  fault: string | null;
}

export async function logStatus(database: Database): Promise<LogStatus | undefined> {
  const log = await currentLog(database);
  if (!log) return undefined;
  const checkpoint = await newestCheckpoint(database, log.number, -1);
  const now = await databaseTime(database);
  const counts = await Promise.all(database.shards.map((shard) => countWaiting(shard, WAITING_MAX)));
  const waitingSeconds = await oldestLeafSeconds(database, log.number, checkpoint?.size ?? 0);
  return {
    origin: log.origin,
    sequenced: log.sequenced,
    checkpointSize: checkpoint?.size ?? 0,
    checkpointAgeSeconds: checkpoint ? Math.max(0, (now.getTime() - checkpoint.createdAt.getTime()) / 1000) : null,
    waitingBatches: counts.reduce((sum, count) => sum + count, 0),
    waitingSeconds,
    timestampEndsAt: (await newestTimestampEnd(database, log.number)) ?? null,
    fault: faultOf(log.fault, waitingSeconds),
  };
}

export async function logFault(database: Database): Promise<string | null> {
  const log = await currentLog(database);
  if (!log || log.fault !== null) return log?.fault ?? null;
  const checkpoint = await newestCheckpoint(database, log.number, -1);
  return faultOf(null, await oldestLeafSeconds(database, log.number, checkpoint?.size ?? 0));
}

/** A sequencer that is stuck, or that no process runs, reports no fault itself. */
function faultOf(told: string | null, waitingSeconds: number): string | null {
  if (told !== null || waitingSeconds < LOG_LATE_AFTER_S) return told;
  return `Leaves have waited ${Math.round(waitingSeconds)} s for a checkpoint: see what the workers log about the log and the object store`;
}

async function oldestLeafSeconds(database: Database, log: number, checkpointSize: number): Promise<number> {
  return Math.max(...(await Promise.all(database.shards.map((shard) => oldestUnpublishedSeconds(shard, log, checkpointSize)))));
}
