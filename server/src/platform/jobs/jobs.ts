import { type CronItem, Logger as JobLogger, parseCronItems, run, type TaskList } from 'graphile-worker';
import type { Logger } from 'pino';
import { CHORE_STATEMENT_MAX_MS } from '../../contract/limits.ts';
import { withStatementLimit } from '../postgres/limited-client.ts';
import type { Database } from '../postgres/postgres.ts';

/** Work outside of any request: on a schedule, or queued by a transaction. */
export interface Chore<Payload = unknown> {
  name: string;
  /** Cron syntax with five fields, in UTC. At most one process runs a scheduled chore at a time. */
  schedule?: string;
  /** Returns with what to go on, if there is more to do: it is queued again, behind others. */
  run(database: Database, log: Logger, payload: Payload): Promise<Payload | undefined>;
}

/** Long work is done in parts of this time, so that other jobs have their turn, and a stop of the process does not wait for it. */
const PART_MS = 2_000;

/** Repeats a step, which returns whether there is more to do, for the time of a part. Returns whether there is more to do after it. */
export async function inPart(step: () => Promise<boolean>): Promise<boolean> {
  const endsAt = performance.now() + PART_MS;
  while (await step()) if (performance.now() > endsAt) return true;
  return false;
}

export const quietLogger = new JobLogger(() => () => {});

export interface JobRunner {
  stop(): Promise<void>;
}

export async function startJobs(database: Database, chores: readonly Chore[], atOnce: number, log: Logger): Promise<JobRunner> {
  const tasks: TaskList = {};
  const cron: CronItem[] = [];
  for (const chore of chores) {
    tasks[chore.name] = async (payload, { job, addJob }) => {
      const rest = await withStatementLimit(CHORE_STATEMENT_MAX_MS, () => chore.run(database, log, payload));
      if (rest !== undefined) await addJob(chore.name, rest, { jobKey: restKey(job.key ?? chore.name) });
    };
    if (chore.schedule !== undefined)
      cron.push({ task: chore.name, match: chore.schedule, identifier: chore.name, options: { jobKey: chore.name } });
  }
  const runner = await run({
    pgPool: database.sessionPool,
    taskList: tasks,
    parsedCronItems: parseCronItems(cron),
    logger: bridge(log),
    noHandleSignals: true,
    concurrency: atOnce,
  });
  return { stop: () => runner.stop() };
}

const REST = ', the rest';

/** One rest of a job waits at a time, however often the job is queued. It has a key of its own, so that a job that is queued meanwhile is not lost. */
function restKey(key: string): string {
  return key.endsWith(REST) ? key : `${key}${REST}`;
}

function bridge(log: Logger): JobLogger {
  return new JobLogger(() => (level, message) => {
    if (level === 'error') log.error(message);
    else if (level === 'warning') log.warn(message);
    else log.debug(message);
  });
}
