import type { Database } from '../postgres/postgres.ts';
import { json, prepared } from '../postgres/statement.ts';

const QUEUED = prepared('queued-jobs', 'SELECT id, name, payload, job_key FROM queued_jobs ORDER BY id LIMIT $1', {
  id: 'uuid',
  name: 'text',
  payload: json<unknown>(),
  job_key: 'text',
});
const ADD_JOBS = prepared(
  'add-jobs',
  `SELECT FROM unnest($1::text[], $2::text[], $3::text[]) AS j (name, payload, job_key),
          LATERAL graphile_worker.add_job(j.name, j.payload::json, job_key => j.job_key)`,
);
const DELETE_QUEUED = prepared('delete-queued-jobs', 'DELETE FROM queued_jobs WHERE id = ANY ($1::uuid[])');
const AT_ONCE = 500;

/**
 * Passes on the jobs that transactions in a shard have queued (server/sql/platform/queue_job.sql). After a crash in between, a job is added again:
 * its key makes it replace the first one, unless that has run already.
 */
export async function passJobsOn(database: Database, shard: Database): Promise<void> {
  const jobs = await shard.query(QUEUED, [AT_ONCE]);
  if (jobs.length === 0) return;
  const payloads = jobs.map(({ payload }) => JSON.stringify(payload));
  await database.query(ADD_JOBS, [jobs.map(({ name }) => name), payloads, jobs.map(({ job_key }) => job_key)]);
  await shard.query(DELETE_QUEUED, [jobs.map(({ id }) => id)]);
}
