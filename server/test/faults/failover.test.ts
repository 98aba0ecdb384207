import { expect, test } from 'vitest';
import { LOG_STANDBY_PATIENCE_MS } from '../../src/contract/log-limits.ts';
import { Load } from '../support/load.ts';
import { LogReader } from '../support/log.ts';
import { everyPage, ids } from '../support/pages.ts';
import { until } from '../support/process.ts';
import { receiverSettings, startReceiver } from '../support/receiver.ts';
import { startReplicatedPostgres } from '../support/replicated-postgres.ts';
import { startTestService } from '../support/service.ts';
import { messageIdOf, register, untilNothingIsPending } from '../support/webhook-workers.ts';

test('after a failover to the standby the service goes on by itself: at most 503 meanwhile, and every 201 is there and delivered', async () => {
  const postgres = await startReplicatedPostgres();
  const env = { DATABASE_URL: postgres.url, MONTHLY_MESSAGE_LIMIT: '0', NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' };
  const [service, receiver] = await Promise.all([startTestService({ ...receiverSettings, ...env }), startReceiver()]);
  const [acme, globex] = [await service.business('acme'), await service.business('globex')];
  await register(globex.api, receiver.url());
  const load = new Load(acme.api, 4);
  await load.untilAcknowledged(200);
  await postgres.failOver();
  await load.untilAcknowledged(200);
  await load.stop();
  await until(async () => (await service.anonymous.request('GET', '/readyz')).status === 200);
  // The connections of the test must find the new primary, too.
  await until(async () => (await service.sql('SELECT 1').catch(() => [])).length > 0);
  await untilNothingIsPending(service);

  expect(load.oddResponses).toEqual([]);
  const inbox = ids((await everyPage(globex.api, '/inbox', { limit: 200 })).flat());
  expect(new Set(inbox).size).toBe(inbox.length);
  expect(inbox).toEqual(expect.arrayContaining(load.acknowledged));
  expect(new Set(receiver.deliveries.map(messageIdOf))).toEqual(new Set(inbox));
  await service.stop();
  await receiver.stop();
});

test('with LOG_WAIT_FOR_STANDBY, a checkpoint waits until a standby has what it says', async () => {
  const postgres = await startReplicatedPostgres({ isSynchronous: false });
  const service = await startTestService({ DATABASE_URL: postgres.url, LOG_WAIT_FOR_STANDBY: 'true' });
  const acme = await service.business('acme');
  await service.business('globex');
  const send = async () => [(await acme.api.send({ to: 'globex' })).body.content_hash as string];
  const reader = new LogReader(service.url);
  await reader.until(await send());
  const size = (await reader.checkpoint())?.size;
  await postgres.killStandby();
  const waiting = await send();
  // The leaf has an index, but is not published for several rounds.
  const unpublished = 'SELECT 1 FROM logs WHERE sequenced > (SELECT max(size) FROM log_checkpoints) AND size = sequenced';
  await until(async () => (await service.sql(unpublished)).length > 0);
  await new Promise((resolve) => setTimeout(resolve, 3 * LOG_STANDBY_PATIENCE_MS));
  expect((await reader.checkpoint())?.size).toBe(size);
  await postgres.startStandby();
  await reader.until(waiting);
  await service.stop();
});
