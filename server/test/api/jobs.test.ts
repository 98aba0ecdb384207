import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { type Chore, inPart, startJobs } from '../../src/platform/jobs/jobs.ts';
import { migrate } from '../../src/platform/migrations/migrate.ts';
import { Database } from '../../src/platform/postgres/postgres.ts';
import { until } from '../support/process.ts';
import { createDatabase } from '../support/service.ts';

const STEPS = 150;

test('a long job lets others have their turn, and after a stop it goes on where it was', async () => {
  const log = pino({ level: 'silent' });
  const database = new Database({ connectionString: await createDatabase() }, log);
  await migrate(database);
  const done: string[] = [];
  const long: Chore<{ from: number }> = {
    name: 'long',
    run: async (_database, _log, { from }) => {
      let step = from;
      const isUnfinished = await inPart(async () => {
        await sleep(30);
        done.push(`step ${step++}`);
        return step < STEPS;
      });
      return isUnfinished ? { from: step } : undefined;
    },
  };
  const short: Chore = {
    name: 'short',
    run: async () => {
      done.push('short');
      return undefined;
    },
  };
  const add = (name: string, payload: object) =>
    database.queryText('SELECT graphile_worker.add_job($1, $2::json)', [name, JSON.stringify(payload)]);
  const start = () => startJobs(database, [long, short], 1, log);

  const jobs = await start();
  await add('long', { from: 0 });
  await until(() => done.length > 0);
  await add('short', {});
  await until(() => done.includes('short'));
  expect(done.length).toBeLessThan(STEPS);
  await jobs.stop();
  expect(done.length).toBeLessThan(STEPS);

  const again = await start();
  await until(() => done.length > STEPS);
  await again.stop();
  const steps = Array.from({ length: STEPS }, (_, step) => `step ${step}`);
  expect(done.filter((one) => one !== 'short')).toEqual(steps);
  await database.close();
});
