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
  run(database: Database, log: Logger, payload: Payload): Promise<void>;
}

export const quietLogger = new JobLogger(() => () => {});

export interface JobRunner {
  stop(): Promise<void>;
}

export async function startJobs(database: Database, chores: readonly Chore[], atOnce: number, log: Logger): Promise<JobRunner> {
  const tasks: TaskList = {};
  const cron: CronItem[] = [];
  for (const chore of chores) {
    tasks[chore.name] = (payload) => withStatementLimit(CHORE_STATEMENT_MAX_MS, () => chore.run(database, log, payload));
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

function bridge(log: Logger): JobLogger {
  return new JobLogger(() => (level, message) => {
    if (level === 'error') log.error(message);
    else if (level === 'warning') log.warn(message);
    else log.debug(message);
  });
}
