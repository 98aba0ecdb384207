import type { Database } from '../../platform/postgres.ts';
import { countWaiting, oldestWaitingSeconds } from './batch-store.ts';
import { newestCheckpoint } from './checkpoint-store.ts';
import { currentLog, databaseTime } from './log-store.ts';

const WAITING_MAX = 1_000;

export interface LogStatus {
  origin: string;
  /** Leaves that have a place. */
  sequenced: number;
  /** Leaves in the newest checkpoint, and how old it is; an idle log needs no newer one. */
  checkpointSize: number;
  checkpointAgeSeconds: number | null;
  /** At most 1,000 in each shard. */
  waitingBatches: number;
  /** Age of the oldest of them; 0 without any. */
  waitingSeconds: number;
  fault: string | null;
}

/** Undefined before the first start has created a log. */
export async function logStatus(database: Database): Promise<LogStatus | undefined> {
  const log = await currentLog(database);
  if (!log) return undefined;
  const checkpoint = await newestCheckpoint(database, log.number, -1);
  const now = await databaseTime(database);
  const counts = await Promise.all(database.shards.map((shard) => countWaiting(shard, WAITING_MAX)));
  const ages = await Promise.all(database.shards.map((shard) => oldestWaitingSeconds(shard)));
  return {
    origin: log.origin,
    sequenced: log.sequenced,
    checkpointSize: checkpoint?.size ?? 0,
    checkpointAgeSeconds: checkpoint ? Math.max(0, (now.getTime() - checkpoint.createdAt.getTime()) / 1000) : null,
    waitingBatches: counts.reduce((sum, count) => sum + count, 0),
    waitingSeconds: Math.max(...ages),
    fault: log.fault,
  };
}
