import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { until } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import type { LoggedAttempt } from '../support/webhook-log.ts';
import { messageIdOf, register, sendMany, startApi, startWorker, wholeLog } from '../support/webhook-workers.ts';

test('endpoints that never respond, with many attempts waiting, do not delay one that does', async () => {
  const service = await startApi();
  const receiver = await startReceiver();
  receiver.respond = ({ path }, response) => {
    if (path === '/healthy') response.writeHead(204).end();
  };
  const [acme, globex, ...others] = await Promise.all(
    ['acme', 'globex', 'initech', 'hooli', 'umbrella'].map((handle) => service.business(handle)),
  );
  if (!acme || !globex) throw new Error('two businesses are missing');
  for (const { api } of others) await Promise.all(Array.from({ length: 10 }, (_, n) => register(api, receiver.url(`/hangs/${n}`))));
  const healthy = await register(globex.api, receiver.url('/healthy'));
  const worker = await startWorker(service.databaseUrl);
  const delaysOf = async (count: number) => {
    const respondedAt = new Map<string, number>();
    for (let n = 0; n < count; n++, await sleep(100)) {
      const { body } = await acme.api.send({ to: 'globex' });
      respondedAt.set(body.id, Date.now());
    }
    const arrived = () => receiver.at('/healthy').filter((delivery) => respondedAt.has(messageIdOf(delivery)));
    await until(() => arrived().length >= count);
    return arrived().map((delivery) => delivery.at - (respondedAt.get(messageIdOf(delivery)) ?? 0));
  };

  const alone = await delaysOf(30);
  await Promise.all(others.map(({ handle }) => sendMany(acme.api, 200, handle)));
  await until(() => receiver.deliveries.length >= alone.length + 30);
  // Longer than the ten seconds after which the worker gives up hanging attempts and turns to the next.
  const delays = await delaysOf(110);
  const p99 = delays.toSorted((a, b) => a - b)[Math.ceil(0.99 * delays.length) - 1];
  // The limit is a second, plus the time for which other load stalls the machine.
  expect(p99).toBeLessThan(Math.max(1_000, 3 * Math.max(...alone)));

  const isDelivered = ({ attempt, status }: LoggedAttempt) => attempt === 1 && status === 'delivered';
  await until(async () => (await wholeLog(globex.api, healthy)).every(isDelivered));
  expect(receiver.at('/healthy')).toHaveLength(alone.length + delays.length);
  expect(await service.sql('SELECT FROM webhook_attempts WHERE status = $1', ['pending'])).toHaveLength(30 * 200);
  await worker.stop('SIGKILL');
  await service.stop();
  await receiver.stop();
});
