import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { messageIdOf, setTheStage, startWorker, untilNothingIsPending, wholeLog } from '../support/webhook-workers.ts';

const THREADS = 12;
const MESSAGES = 12;
const KILLS = 3;

test('within each thread the order holds although endpoints fail and workers are killed -9 at random', async ({ onTestFinished }) => {
  const postgres = await startOwnPostgres();
  onTestFinished(() => postgres.stop());
  const { service, acme, globex, receiver } = await setTheStage(await postgres.createDatabase(), onTestFinished);
  const { status, text, body: webhook } = await globex.api.write('POST', '/webhooks', { url: receiver.url(), ordered: true });
  expect(status, text).toBe(201);

  const threadOf = new Map<string, number>();
  const orders: string[][] = [];
  const open = new Map<number, number>();
  let mostOpen = 0;
  receiver.respond = async (delivery, response) => {
    const thread = threadOf.get(messageIdOf(delivery)) ?? -1;
    const count = (open.get(thread) ?? 0) + 1;
    open.set(thread, count);
    mostOpen = Math.max(mostOpen, count);
    response.once('close', () => open.set(thread, (open.get(thread) ?? 0) - 1));
    await sleep(randomInt(60));
    if (!response.destroyed) response.writeHead(randomInt(10) === 0 ? 500 : 204).end();
  };

  await Promise.all(
    Array.from({ length: THREADS }, async (_, thread) => {
      const order: string[] = [];
      for (let n = 0; n < MESSAGES; n++) {
        const last = order.at(-1);
        const sent = await acme.api.send(last === undefined ? { to: 'globex' } : { in_reply_to: last });
        expect(sent.status, sent.text).toBe(201);
        order.push(sent.body.id);
        threadOf.set(sent.body.id, thread);
      }
      orders[thread] = order;
    }),
  );
  const retries = { WEBHOOK_RETRY_DELAYS_S: '0,0,1,1,1' };
  const workers = await Promise.all([1, 2].map(() => startWorker(service.databaseUrl, retries)));
  onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.stop('SIGKILL')))));
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(randomInt(100, 500));
    const victim = randomInt(workers.length);
    await workers[victim]?.stop('SIGKILL');
    workers[victim] = await startWorker(service.databaseUrl, retries);
  }
  await untilNothingIsPending(service);

  const arrivals = receiver.deliveries.map(messageIdOf);
  for (const order of orders) {
    const firsts = [...new Set(arrivals.filter((id) => order.includes(id)))];
    expect(firsts).toEqual(order);
    // After a later message has come, an earlier one does not come again.
    const places = arrivals.filter((id) => order.includes(id)).map((id) => order.indexOf(id));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  }
  expect(mostOpen).toBe(1);
  const ended = (await wholeLog(globex.api, webhook.id)).filter(({ status }) => status === 'delivered' || status === 'dropped');
  expect(ended.map(({ message_id }) => message_id).toSorted()).toEqual(orders.flat().toSorted());
});
