import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { statement } from '../../platform/postgres/statement.ts';

const LAG = statement(
  `SELECT (SELECT count(*) FROM (SELECT 1 FROM committed_batches LIMIT $1) b) AS batches,
          (SELECT greatest(0, extract(epoch FROM clock_timestamp()) - ('x' || left(replace(b.id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)::float8
             FROM committed_batches b ORDER BY b.id LIMIT 1) AS seconds,
          (SELECT count(*) FROM (SELECT 1 FROM follower_failures LIMIT $1) f) AS failures`,
  { batches: 'bigint', seconds: 'float8?', failures: 'bigint' },
);

export interface Lag {
  /** The committed batches that no worker has taken. */
  batches: number;
  /** The age of the oldest such batch. */
  seconds: number;
  /** The failures of followers that a sweep tries again. */
  failures: number;
}

/** How far the followers of a shard are behind its commits. Counts end at `max`. */
export async function lagOf(db: Queryable, max: number): Promise<Lag> {
  const { batches, seconds, failures } = onlyRow(await db.query(LAG, [max]));
  return { batches: Number(batches), seconds: seconds ?? 0, failures: Number(failures) };
}
