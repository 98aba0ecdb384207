import { randomInt } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { freePort } from '../support/free-port.ts';
import { startGate } from '../support/gate.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { everyPage, ids } from '../support/pages.ts';
import { startProcess, until } from '../support/process.ts';
import { type Delivery, receiverSettings, startReceiver } from '../support/receiver.ts';
import { connectionWaitingIn, lockingWith, terminate } from '../support/sql-locks.ts';
import type { LoggedAttempt } from '../support/webhook-log.ts';
import {
  deliveryIdOf,
  messageIdOf,
  register,
  setTheStage,
  startApi,
  startWorker,
  untilNothingIsPending,
  wholeLog,
} from '../support/webhook-workers.ts';

/** The promise is 15 seconds. The rest is for a busy machine. */
const TAKEN_OVER_WITHIN_MS = 20_000;
const ATTEMPTS_MAX = 6;
/** Starting many processes one after the other takes long on a busy machine. */

let postgres: OwnPostgres;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  return () => postgres.stop();
});

describe.concurrent('when a worker is killed -9 with attempts at every stage', () => {
  const STAGES = ['connecting', 'sent', 'responded', 'recorded'] as const;
  type Stage = (typeof STAGES)[number];
  const arrivals = {} as Record<Stage, Delivery[]>;
  const logs = {} as Record<Stage, LoggedAttempt[]>;
  let messageId: string;
  let killedAt: number;

  beforeAll(async () => {
    const service = await startApi({ DATABASE_URL: await postgres.createDatabase() });
    const [acme, globex] = await Promise.all([service.business('acme'), service.business('globex')]);
    const receiver = await startReceiver();
    const gate = await startGate(receiver.port);
    const webhooks = {} as Record<Stage, string>;
    for (const stage of STAGES)
      webhooks[stage] = await register(
        globex.api,
        stage === 'connecting' ? `https://localhost:${gate.port}/connecting` : receiver.url(`/${stage}`),
      );
    const isRecorded = async (stage: Stage) => (await wholeLog(globex.api, webhooks[stage]))[0]?.status === 'delivered';
    const held = new Map<string, ServerResponse>();
    let isHolding = true;
    receiver.respond = ({ path }, response) => {
      if (isHolding && path !== '/recorded') held.set(path, response);
      else response.writeHead(204).end();
    };

    // Both workers run, but only one can lease.
    const [victim, heir] = await Promise.all([startWorker(service.databaseUrl), startWorker(service.databaseUrl)]);
    process.kill(heir.pid, 'SIGSTOP');
    messageId = (await acme.api.send({ to: 'globex' })).body.id;
    await until(async () => gate.held() === 1 && held.size === 2 && (await isRecorded('recorded')));

    const lock = await lockingWith(service, 'SELECT FROM webhook_attempts WHERE webhook_id = $1 FOR UPDATE', [
      parseId('wh', webhooks.responded),
    ]);
    held.get('/responded')?.writeHead(204).end();
    const record = await connectionWaitingIn(service, 'record_webhook_attempts');
    killedAt = Date.now();
    await victim.stop('SIGKILL');
    // PostgreSQL would execute a statement that it already has, but this one must be lost with its sender.
    await terminate(record);
    await lock.rollBack();
    isHolding = false;
    gate.open();
    process.kill(heir.pid, 'SIGCONT');

    await until(async () => (await Promise.all(STAGES.map(isRecorded))).every(Boolean));
    for (const stage of STAGES) {
      arrivals[stage] = receiver.at(`/${stage}`);
      logs[stage] = await wholeLog(globex.api, webhooks[stage]);
    }
    return async () => {
      await heir.stop('SIGKILL');
      await service.stop();
      await gate.stop();
      await receiver.stop();
    };
  });

  test.each([
    ['connecting', 'before it sends', 1],
    ['sent', 'after it has sent and before the response', 2],
    ['responded', 'after the response and before the log is written', 2],
  ] as const)('the attempt that was %s (%s) is made by another worker within 15 seconds, as the same attempt', (stage, _, times) => {
    expect(arrivals[stage]).toHaveLength(times);
    const takenOver = arrivals[stage].at(-1) as Delivery;
    expect(takenOver.at - killedAt).toBeGreaterThan(0);
    expect(takenOver.at - killedAt).toBeLessThan(TAKEN_OVER_WITHIN_MS);
    expect(logs[stage]).toEqual([expect.objectContaining({ message_id: messageId, attempt: 1, status: 'delivered', status_code: 204 })]);
    expect(new Set(arrivals[stage].map(deliveryIdOf))).toEqual(new Set([logs[stage][0]?.id]));
    expect(new Set(arrivals[stage].map(messageIdOf))).toEqual(new Set([messageId]));
  });

  test('the attempt whose success was recorded is not made again', () => {
    expect(arrivals.recorded).toHaveLength(1);
    expect(logs.recorded).toEqual([expect.objectContaining({ message_id: messageId, attempt: 1, status: 'delivered' })]);
  });
});

test.concurrent('an attempt that was taken but for which nothing had been read yet is made by the next worker', async ({
  expect,
  onTestFinished,
}) => {
  const { service, acme, globex, receiver } = await setTheStage(await postgres.createDatabase(), onTestFinished);
  const webhook = await register(globex.api, receiver.url());
  await acme.api.send({ to: 'globex' });
  const [queued] = await wholeLog(globex.api, webhook);

  // The worker reads the message between the lease and the request, so it waits for this lock.
  const lock = await lockingWith(service, 'LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
  const victim = await startWorker(service.databaseUrl);
  await connectionWaitingIn(service, 'FROM messages m');
  expect(await service.sql('SELECT FROM webhook_leases WHERE until > now()')).toHaveLength(1);
  const killedAt = Date.now();
  await victim.stop('SIGKILL');
  await lock.rollBack();
  expect(receiver.deliveries).toEqual([]);

  const heir = await startWorker(service.databaseUrl);
  onTestFinished(async () => void (await heir.stop('SIGKILL')));
  await untilNothingIsPending(service);
  expect(receiver.deliveries.map(deliveryIdOf)).toEqual([queued?.id]);
  expect((receiver.deliveries[0]?.at ?? 0) - killedAt).toBeLessThan(TAKEN_OVER_WITHIN_MS);
  expect(await wholeLog(globex.api, webhook)).toEqual([expect.objectContaining({ id: queued?.id, attempt: 1, status: 'delivered' })]);
});

test.concurrent('however often workers are killed -9 under load, each message is delivered, and recorded as such once', async ({
  expect,
  onTestFinished,
}) => {
  const { service, acme, globex, receiver } = await setTheStage(await postgres.createDatabase(), onTestFinished);
  const webhooks = {
    '/all': await register(globex.api, receiver.url('/all')),
    '/orders': await register(globex.api, receiver.url('/orders'), 'orders'),
  };
  type Path = keyof typeof webhooks;
  const refused = new Set<string>();
  const tooLate: string[] = [];
  let open = 0;
  receiver.respond = async (delivery, response) => {
    open++;
    response.once('close', () => open--);
    const messageId = messageIdOf(delivery);
    const recorded = await service.sql(`SELECT FROM webhook_attempts WHERE webhook_id = $1 AND message_id = $2 AND status = 'delivered'`, [
      parseId('wh', webhooks[delivery.path as Path]),
      parseId('msg', messageId),
    ]);
    if (recorded.length > 0) tooLate.push(deliveryIdOf(delivery));
    await sleep(randomInt(200));
    // Some attempts fail even without a crash.
    const isRefused = randomInt(5) === 0 && !refused.has(messageId);
    if (isRefused) refused.add(messageId);
    response.writeHead(isRefused ? 500 : 204).end();
  };
  const start = () => startWorker(service.databaseUrl, { WEBHOOK_RETRY_DELAYS_S: '1,1,1,1,1' });
  const workers = await Promise.all([start(), start()]);
  onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.stop('SIGKILL')))));

  let isOver = false;
  const expected: Record<Path, string[]> = { '/all': [], '/orders': [] };
  const stream = (async () => {
    while (!isOver) {
      const isOrder = randomInt(3) === 0;
      const { status, body } = await acme.api.send({ to: isOrder ? 'globex/orders' : 'globex' });
      expect(status).toBe(201);
      expected['/all'].push(body.id);
      if (isOrder) expected['/orders'].push(body.id);
      await sleep(randomInt(20));
    }
  })();
  for (let kills = 0; kills < 4; kills++) {
    await until(() => open >= 6);
    await sleep(randomInt(200));
    const n = randomInt(workers.length);
    await workers[n]?.stop('SIGKILL');
    workers[n] = await start();
  }
  isOver = true;
  await stream;
  await untilNothingIsPending(service);

  const attempts: LoggedAttempt[] = [];
  for (const [path, webhook] of Object.entries(webhooks) as [Path, string][]) {
    const log = await wholeLog(globex.api, webhook);
    attempts.push(...log);
    const delivered = log.filter(({ status }) => status === 'delivered').map(({ message_id }) => message_id);
    expect(delivered.toSorted()).toEqual(expected[path].toSorted());
    expect(new Set(receiver.at(path).map(messageIdOf))).toEqual(new Set(expected[path]));
    expect(log.filter(({ status }) => status !== 'delivered' && status !== 'retrying')).toEqual([]);
    for (const entries of Map.groupBy(log, ({ message_id }) => message_id).values()) {
      const numbers = entries.map(({ attempt }) => attempt);
      expect(numbers.toSorted()).toEqual(numbers.map((_, i) => i + 1));
      expect(numbers.length).toBeLessThanOrEqual(ATTEMPTS_MAX);
    }
  }
  expect(new Set(attempts.map(({ id }) => id)).size).toBe(attempts.length);
  expect(new Set(receiver.deliveries.map(deliveryIdOf))).toEqual(new Set(attempts.map(({ id }) => id)));
  expect(tooLate).toEqual([]);
  // The crashes have interrupted attempts, and the refusals have caused retries.
  expect(receiver.deliveries.length).toBeGreaterThan(attempts.length);
  expect(attempts.some(({ attempt }) => attempt > 1)).toBe(true);
});

test.concurrent('when the API is killed -9 between sends, each message has its attempts, and none twice', async ({
  expect,
  onTestFinished,
}) => {
  const env = { NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '3' };
  const service = await startApi({ DATABASE_URL: await postgres.createDatabase(), ...env });
  onTestFinished(() => service.stop());
  const acme = await service.business('acme');
  const newcomer = await service.business('newcomer', { claimed: true });
  const globex = await service.business('globex');
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const webhooks = [await register(globex.api, receiver.url('/one')), await register(globex.api, receiver.url('/two'))];
  const port = String(await freePort());
  const start = () =>
    startProcess({ env: { DATABASE_URL: service.databaseUrl, PORT: port, ...receiverSettings, ...env }, args: ['--role', 'api'] });
  let api = await start();
  const worker = await startWorker(service.databaseUrl);
  onTestFinished(async () => void (await Promise.all([api.stop('SIGKILL'), worker.stop('SIGKILL')])));

  const acknowledged = new Map<string, string>();
  const refusals: string[] = [];
  let cutOff = 0;
  let isOver = false;
  const writers = Array.from({ length: 6 }, async (_, writer) => {
    for (let n = 0; !isOver; n++, await sleep(randomInt(30))) {
      const key = `${writer}-${n}`;
      const from = writer === 0 ? newcomer : acme;
      const to = writer === 1 ? 'nobody' : 'globex';
      for (let hasResponse = false; !hasResponse; ) {
        try {
          const { status, body } = await from.api.at(api.url).send({ to }, { 'idempotency-key': key });
          hasResponse = true;
          if (status === 201) acknowledged.set(key, body.id);
          else refusals.push(body.error.code);
        } catch {
          cutOff++;
          await sleep(20);
        }
      }
    }
  });
  for (let kills = 0; kills < 3; kills++) {
    const enough = acknowledged.size + 30 + randomInt(50);
    await until(() => acknowledged.size >= enough);
    await api.stop('SIGKILL');
    api = await start();
  }
  isOver = true;
  await Promise.all(writers);
  // Every key is repeated, and gets the existing message.
  const repeats = Array.from(acknowledged, async ([key, id]) => {
    const from = key.startsWith('0-') ? newcomer : acme;
    const { body, headers } = await from.api.at(api.url).send({ to: 'globex' }, { 'idempotency-key': key });
    expect([body.id, headers.get('idempotent-replayed')]).toEqual([id, 'true']);
  });
  await Promise.all(repeats);
  await untilNothingIsPending(service);

  expect(cutOff).toBeGreaterThan(3);
  expect(new Set(refusals)).toEqual(new Set(['unknown_recipient', 'quota_exceeded']));
  const sent = [...acknowledged.values()].toSorted();
  expect(ids((await everyPage(globex.api, '/inbox', { limit: 200 })).flat()).toSorted()).toEqual(sent);
  for (const webhook of webhooks) {
    const log = await wholeLog(globex.api, webhook);
    expect(log.map(({ message_id }) => message_id).toSorted()).toEqual(sent);
    expect(log.every(({ attempt, status }) => attempt === 1 && status === 'delivered')).toBe(true);
  }
  for (const path of ['/one', '/two']) expect(receiver.at(path).map(messageIdOf).toSorted()).toEqual(sent);
});
