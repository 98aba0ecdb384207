import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, test } from 'vitest';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { until } from '../support/process.ts';
import {
  attemptsMadeBy,
  messageIdOf,
  register,
  sendMany,
  setTheStage,
  startWorker,
  untilNothingIsPending,
  wholeLog,
} from '../support/webhook-workers.ts';

/** Processes start slowly on a busy machine. */

let postgres: OwnPostgres;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  return () => postgres.stop();
});

test.concurrent('an attempt that its worker waits nine seconds for is not made by another, while they share what else there is', async ({
  expect,
  onTestFinished,
}) => {
  const { service, acme, globex, receiver } = await setTheStage(await postgres.createDatabase(), onTestFinished);
  const webhook = await register(globex.api, receiver.url());
  const workers = await Promise.all([startWorker(service.databaseUrl), startWorker(service.databaseUrl)]);
  onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.stop('SIGKILL')))));
  let slow: string | undefined;
  let hasResponse = false;
  receiver.respond = async (delivery, response) => {
    slow ??= messageIdOf(delivery);
    if (messageIdOf(delivery) === slow) {
      await sleep(9_000);
      hasResponse = true;
    }
    response.writeHead(204).end();
  };

  const sent: string[] = [];
  for (; !hasResponse; await sleep(100)) sent.push(...(await sendMany(acme.api, 4)));
  await untilNothingIsPending(service);
  expect(receiver.deliveries.map(messageIdOf).toSorted()).toEqual(sent.toSorted());
  const log = await wholeLog(globex.api, webhook);
  expect(log.map(({ message_id }) => message_id).toSorted()).toEqual(sent.toSorted());
  expect(log.every(({ attempt, status }) => attempt === 1 && status === 'delivered')).toBe(true);
  expect(Math.min(...(await Promise.all(workers.map(attemptsMadeBy))))).toBeGreaterThan(0);
});

test.concurrent('a worker that was stopped in its tracks for longer than its claims hold sends nothing that others have delivered', async ({
  expect,
  onTestFinished,
}) => {
  const { service, acme, globex, receiver } = await setTheStage(await postgres.createDatabase(), onTestFinished);
  await register(globex.api, receiver.url());
  const start = () => startWorker(service.databaseUrl, { WEBHOOK_RETRY_DELAYS_S: '1,1,1,1,1' });
  const frozen = await start();
  onTestFinished(async () => void (await frozen.stop('SIGKILL')));
  // Prompt responses widen the lane until attempts are leased ahead.
  for (let i = 1; i <= 8; i++) {
    await sendMany(acme.api, 25);
    await until(() => receiver.deliveries.length === i * 25);
  }
  receiver.respond = () => {};
  const old = new Set(await sendMany(acme.api, 300));
  await until(() => receiver.deliveries.length > 300);
  process.kill(frozen.pid, 'SIGSTOP');
  receiver.respond = (_delivery, response) => response.writeHead(204).end();
  const heir = await start();
  onTestFinished(async () => void (await heir.stop('SIGKILL')));
  await untilNothingIsPending(service);
  await heir.stop('SIGKILL');

  const before = receiver.deliveries.length;
  const sent = await sendMany(acme.api, 1);
  process.kill(frozen.pid, 'SIGCONT');
  sent.push(...(await sendMany(acme.api, 20)));
  await untilNothingIsPending(service);
  const after = new Set(receiver.deliveries.slice(before).map(messageIdOf));
  expect(after).toEqual(new Set(sent));
  expect(after.isDisjointFrom(old)).toBe(true);
});
