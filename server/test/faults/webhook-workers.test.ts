import { randomInt } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, test } from 'vitest';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { startProcess, until } from '../support/process.ts';
import {
  attemptsMadeBy,
  deliveryIdOf,
  messageIdOf,
  reachingReceivers,
  register,
  sendMany,
  setTheStage,
  startWorker,
  untilNothingIsPending,
  wholeLog,
} from '../support/webhook-workers.ts';

/** Longer than several sweeps, which come every second. */
const SEVERAL_SWEEPS_MS = 2_500;
const EXIT_WITHIN_MS = 30_000;
/** Processes start slowly on a busy machine. */

let postgres: OwnPostgres;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  return () => postgres.stop();
});

test.concurrent('several workers share the attempts, and none is made twice', async ({ expect, onTestFinished }) => {
  const { service, acme, globex, receiver } = await setTheStage(await postgres.createDatabase(), onTestFinished);
  receiver.respond = async (_delivery, response) => {
    await sleep(randomInt(50, 150));
    response.writeHead(204).end();
  };
  const paths = ['/a', '/b', '/c', '/d', '/e'];
  const webhooks = await Promise.all(paths.map((path) => register(globex.api, receiver.url(path))));
  const workers = await Promise.all([1, 2, 3].map(() => startWorker(service.databaseUrl)));
  onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.stop('SIGKILL')))));

  const sent = await sendMany(acme.api, 100);
  await untilNothingIsPending(service);
  for (const [n, webhook] of webhooks.entries()) {
    const arrived = receiver.at(paths[n] as string);
    expect(arrived.map(messageIdOf).toSorted()).toEqual(sent.toSorted());
    const log = await wholeLog(globex.api, webhook);
    expect(log.map(({ id }) => id).toSorted()).toEqual(arrived.map(deliveryIdOf).toSorted());
    expect(log.every(({ attempt, status }) => attempt === 1 && status === 'delivered')).toBe(true);
  }
  const made = await Promise.all(workers.map(attemptsMadeBy));
  expect(made.reduce((sum, count) => sum + count)).toBe(sent.length * paths.length);
  expect(Math.min(...made)).toBeGreaterThan(0);
});

test.concurrent('an API process attempts nothing, and a worker that starts later delivers all that was queued', async ({
  expect,
  onTestFinished,
}) => {
  const { service, acme, globex, receiver } = await setTheStage(await postgres.createDatabase(), onTestFinished);
  const webhook = await register(globex.api, receiver.url());
  const api = await startProcess({ env: { DATABASE_URL: service.databaseUrl, ...reachingReceivers }, args: ['--role', 'api'] });
  const sent = await sendMany(acme.api.at(api.url), 30);
  expect((await globex.api.at(api.url).write('POST', `/webhooks/${webhook}/test`, {})).status).toBe(202);
  await sleep(SEVERAL_SWEEPS_MS);
  const queued = await wholeLog(globex.api, webhook);
  expect(queued.map(({ status, attempted_at }) => [status, attempted_at])).toEqual(Array(31).fill(['pending', null]));
  expect(receiver.deliveries).toEqual([]);
  await api.stop('SIGKILL');

  const worker = await startWorker(service.databaseUrl);
  onTestFinished(async () => void (await worker.stop('SIGKILL')));
  await untilNothingIsPending(service);
  expect(receiver.deliveries.map(deliveryIdOf).toSorted()).toEqual(queued.map(({ id }) => id).toSorted());
  expect(receiver.deliveries.map(messageIdOf)).toEqual(expect.arrayContaining(sent));
});

test.concurrent('a worker told to stop finishes and writes down what is under way, and begins nothing more', async ({
  expect,
  onTestFinished,
}) => {
  const { service, acme, globex, receiver } = await setTheStage(await postgres.createDatabase(), onTestFinished);
  const late = await register(globex.api, receiver.url('/late'));
  const never = await register(globex.api, receiver.url('/never'));
  const held = new Map<string, ServerResponse>();
  receiver.respond = ({ path }, response) => held.set(path, response);

  const worker = await startWorker(service.databaseUrl);
  const [first] = await sendMany(acme.api, 1);
  await until(() => held.size === 2);
  const toldAt = Date.now();
  const ended = worker.stop('SIGTERM');
  await until(() => worker.output().includes('Stopping'));
  const [second] = await sendMany(acme.api, 1);
  await sleep(SEVERAL_SWEEPS_MS);
  held.get('/late')?.writeHead(204).end();
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
  expect(Date.now() - toldAt).toBeLessThan(EXIT_WITHIN_MS);

  expect(receiver.deliveries.map(messageIdOf)).toEqual([first, first]);
  expect(await wholeLog(globex.api, late)).toEqual([
    expect.objectContaining({ message_id: second, attempt: 1, status: 'pending' }),
    expect.objectContaining({ message_id: first, attempt: 1, status: 'delivered', status_code: 204 }),
  ]);
  expect(await wholeLog(globex.api, never)).toEqual([
    expect.objectContaining({ message_id: first, attempt: 2, status: 'pending' }),
    expect.objectContaining({ message_id: second, attempt: 1, status: 'pending' }),
    expect.objectContaining({ message_id: first, attempt: 1, status: 'retrying', status_code: null }),
  ]);

  // The next worker takes over the attempts that are left.
  receiver.respond = (_delivery, response) => response.writeHead(204).end();
  const next = await startWorker(service.databaseUrl);
  onTestFinished(async () => void (await next.stop('SIGKILL')));
  await until(() => receiver.deliveries.length === 4);
  expect(receiver.deliveries.slice(2).map(messageIdOf)).toEqual([second, second]);
});

test.concurrent('connections that PostgreSQL ends, and its restart, lose and delay no attempt for good', async ({
  expect,
  onTestFinished,
}) => {
  const restarted = await startOwnPostgres();
  onTestFinished(() => restarted.stop());
  const DATABASE_URL = await restarted.createDatabase();
  const { service, acme, globex, receiver } = await setTheStage(DATABASE_URL, onTestFinished);
  let open = 0;
  receiver.respond = async (_delivery, response) => {
    open++;
    response.once('close', () => open--);
    await sleep(randomInt(200));
    response.writeHead(204).end();
  };
  const webhook = await register(globex.api, receiver.url());
  const worker = await startWorker(DATABASE_URL);
  onTestFinished(async () => void (await worker.stop('SIGKILL')));

  const sent: string[] = [];
  let isOver = false;
  const writers = [1, 2, 3].map(async (writer) => {
    for (let n = 0; !isOver; n++) {
      // Retries until the send is accepted: without the database, none is.
      for (let isAccepted = false; !isAccepted; await sleep(randomInt(40))) {
        const { status, body } = await acme.api.send({ to: 'globex' }, { 'idempotency-key': `${writer}-${n}` });
        isAccepted = status === 201;
        if (isAccepted) sent.push(body.id);
        else expect(status).toBe(503);
      }
    }
  });
  const underLoad = async () => {
    const enough = receiver.deliveries.length + 50;
    await until(() => receiver.deliveries.length >= enough && open > 3);
  };
  for (let times = 0; times < 3; times++) {
    await underLoad();
    const ended = await service.sql<{ application_name: string }>(
      `SELECT application_name, pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    expect(new Set(ended.map(({ application_name }) => application_name))).toContain('waybill webhooks');
  }
  await underLoad();
  await restarted.restart();
  await underLoad();
  isOver = true;
  await Promise.all(writers);
  await untilNothingIsPending(service);

  const log = await wholeLog(globex.api, webhook);
  expect(log.map(({ message_id }) => message_id).toSorted()).toEqual(sent.toSorted());
  expect(log.every(({ attempt, status }) => attempt === 1 && status === 'delivered')).toBe(true);
  expect(new Set(receiver.deliveries.map(deliveryIdOf))).toEqual(new Set(log.map(({ id }) => id)));
});
