import { expect, test } from 'vitest';
import { Load } from '../support/load.ts';
import { everyPage, ids } from '../support/pages.ts';
import { until } from '../support/process.ts';
import { startReplicatedPostgres } from '../support/replicated-postgres.ts';
import { startTestService } from '../support/service.ts';

test('after a failover to the standby the service goes on by itself: 503 meanwhile, and every 201 is there', async () => {
  const postgres = await startReplicatedPostgres();
  const env = { DATABASE_URL: postgres.url, MONTHLY_MESSAGE_LIMIT: '0', NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' };
  const service = await startTestService(env);
  const [acme, globex] = [await service.business('acme'), await service.business('globex')];
  const load = new Load(acme.api, 4);
  await load.untilAcknowledged(200);
  await postgres.failOver();
  await load.untilAcknowledged(200);
  await load.stop();
  await until(async () => (await service.anonymous.request('GET', '/readyz')).status === 200);

  expect(load.oddResponses).toEqual([]);
  expect(load.refused).toBeGreaterThan(0);
  const inbox = ids((await everyPage(globex.api, '/inbox', { limit: 200 })).flat());
  expect(new Set(inbox).size).toBe(inbox.length);
  expect(inbox).toEqual(expect.arrayContaining(load.acknowledged));
  await service.stop();
});
