import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { type ServiceProcess, until } from '../support/process.ts';
import { connectionWaitingIn, lockingWith, terminate } from '../support/sql-locks.ts';
import { messageIdOf, register, sendMany, setTheStage, startWorker, untilNothingIsPending, wholeLog } from '../support/webhook-workers.ts';

let postgres: OwnPostgres;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  return () => postgres.stop();
});

async function recoverAll(api: Api, webhook: string): Promise<string> {
  const { status, text, body } = await api.write('POST', `/webhooks/${webhook}/recover`, { since: '2026-01-01', only: 'all' });
  expect(status, text).toBe(202);
  return `/webhooks/${webhook}/recoveries/${body.id}`;
}

test('a step that is cut off in the middle of its transaction is repeated whole, and queues no message twice', async ({
  onTestFinished,
}) => {
  const { service, acme, globex, receiver } = await setTheStage(await postgres.createDatabase(), onTestFinished);
  const sent = await sendMany(acme.api, 50);
  const webhook = await register(globex.api, receiver.url());
  const lock = await lockingWith(service, 'LOCK TABLE webhook_attempts IN SHARE MODE');
  const recovery = await recoverAll(globex.api, webhook);
  const victim = await startWorker(service.databaseUrl);
  const step = await connectionWaitingIn(service, 'continue_recovery');
  await victim.stop('SIGKILL');
  await terminate(step);
  await lock.rollBack();
  expect((await globex.api.get(recovery)).body).toMatchObject({ state: 'running', total: 50, done: 0, queued: 0 });

  const heir = await startWorker(service.databaseUrl);
  onTestFinished(async () => void (await heir.stop('SIGKILL')));
  await until(async () => (await globex.api.get(recovery)).body.state === 'completed');
  await untilNothingIsPending(service);
  expect((await globex.api.get(recovery)).body).toMatchObject({ total: 50, done: 50, queued: 50 });
  expect((await wholeLog(globex.api, webhook)).map(({ message_id }) => message_id).toSorted()).toEqual(sent.toSorted());
  expect(receiver.deliveries.map(messageIdOf).toSorted()).toEqual(sent.toSorted());
});

test('however often workers are killed -9, each message is queued once and delivered', async ({ onTestFinished }) => {
  const { service, acme, globex, receiver } = await setTheStage(await postgres.createDatabase(), onTestFinished);
  const sent: string[] = [];
  while (sent.length < 3_500) sent.push(...(await sendMany(acme.api, 250)));
  const webhook = await register(globex.api, receiver.url());
  const recovery = await recoverAll(globex.api, webhook);
  const workers: ServiceProcess[] = [];
  onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.stop('SIGKILL')))));
  // Each worker dies as soon as the recovery has moved, or a little later.
  for (let killed = 0; killed < 3; killed++) {
    const before = (await globex.api.get(recovery)).body;
    workers.push(await startWorker(service.databaseUrl));
    await until(async () => {
      const { state, done } = (await globex.api.get(recovery)).body;
      return state === 'completed' || done > before.done;
    });
    await sleep(randomInt(100));
    await workers.pop()?.stop('SIGKILL');
  }
  workers.push(await startWorker(service.databaseUrl), await startWorker(service.databaseUrl));
  await until(async () => (await globex.api.get(recovery)).body.state === 'completed');
  await untilNothingIsPending(service);
  expect((await globex.api.get(recovery)).body).toMatchObject({ total: 3_500, done: 3_500, queued: 3_500 });
  const log = await wholeLog(globex.api, webhook);
  expect(log.map(({ message_id }) => message_id).toSorted()).toEqual(sent.toSorted());
  expect(log.every(({ status, replay }) => status === 'delivered' && replay)).toBe(true);
  expect(new Set(receiver.deliveries.map(messageIdOf))).toEqual(new Set(sent));
});
