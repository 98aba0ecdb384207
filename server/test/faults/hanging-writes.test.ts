import path from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createServer } from '../../src/http/server.ts';
import { ready } from '../../src/modules/operations/routes.ts';
import { migrate } from '../../src/platform/migrations/migrate.ts';
import { Database } from '../../src/platform/postgres/postgres.ts';
import { WriteProbe } from '../../src/platform/postgres/write-probe.ts';
import { collectShardMetrics } from '../../src/platform/shards/shard-metrics.ts';
import { freePort } from '../support/free-port.ts';
import { Load } from '../support/load.ts';
import { everyPage, ids } from '../support/pages.ts';
import { killQuietly, processesIn, temporaryFolder, until } from '../support/process.ts';
import { receiverSettings, startReceiver } from '../support/receiver.ts';
import { startReplicatedPostgres } from '../support/replicated-postgres.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createCluster, handOver, startCluster } from '../support/tcp-postgres.ts';
import { messageIdOf, register, untilNothingIsPending } from '../support/webhook-workers.ts';

const noQuotas = { MONTHLY_MESSAGE_LIMIT: '0', NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' };
const statusOf = async ({ anonymous }: TestService) => (await anonymous.request('GET', '/readyz')).status;

test('a primary that freezes is given up for the promoted standby: 503 meanwhile, and every 201 is there once and delivered', async () => {
  const postgres = await startReplicatedPostgres();
  const env = { DATABASE_URL: postgres.url, ...noQuotas };
  const [service, receiver] = await Promise.all([startTestService({ ...receiverSettings, ...env }), startReceiver()]);
  const [acme, globex] = [await service.business('acme'), await service.business('globex')];
  await register(globex.api, receiver.url());
  const load = new Load(acme.api, 4);
  await load.untilAcknowledged(100);
  postgres.freezePrimary();
  await until(async () => (await statusOf(service)) === 503);
  await load.untilRefused();
  await postgres.promote();
  await load.untilAcknowledged(100);
  await load.stop();
  await until(async () => (await statusOf(service)) === 200);
  await until(async () => (await service.sql('SELECT 1').catch(() => [])).length > 0);
  await untilNothingIsPending(service);

  expect(load.oddResponses).toEqual([]);
  const inbox = ids((await everyPage(globex.api, '/inbox', { limit: 200 })).flat());
  expect(new Set(inbox).size).toBe(inbox.length);
  expect(inbox).toEqual(expect.arrayContaining(load.acknowledged));
  expect(new Set(receiver.deliveries.map(messageIdOf))).toEqual(new Set(inbox));
  // A listener announces changes to all processes, so it must have left the frozen server, too.
  const key = await globex.withKey('read');
  expect((await key.get('/inbox')).status).toBe(200);
  await service.stop();
  await receiver.stop();
});

test('without its synchronous standby, sends get 503 and reads go on; the repeat of a key finds what became of it', async () => {
  const postgres = await startReplicatedPostgres();
  const service = await startTestService({ DATABASE_URL: postgres.url, ...noQuotas });
  const [acme, globex] = [await service.business('acme'), await service.business('globex')];
  const send = (key: string) => acme.api.send({ to: 'globex', note: key }, { 'Idempotency-Key': key });
  const first = await send('first');
  expect(first.status).toBe(201);
  expect(await statusOf(service)).toBe(200);
  await postgres.killStandby();

  const hung = ['second', 'third'];
  for (const refused of await Promise.all(hung.map(send))) {
    expect(refused.body.error.code, refused.text).toBe('unavailable');
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([503, true]);
  }
  await until(async () => (await statusOf(service)) === 503);
  expect(ids((await globex.api.get('/inbox')).body.data)).toEqual([first.body.id]);
  // Writes are no longer tried, so that hanging commits do not use up the connections of the server.
  const before = await postgres.connections();
  for (let n = 0; n < 40; n++) expect((await send(`later-${n}`)).status).toBe(503);
  expect((await acme.api.write('POST', '/contacts', { handle: 'globex', label: 'Globex' })).status).toBe(503);
  expect(await postgres.connections()).toBeLessThan(before + 10);

  await postgres.startStandby();
  await until(async () => (await statusOf(service)) === 200);
  const repeats = await Promise.all([...hung, 'later-0'].map(send));
  expect(repeats.map(({ status }) => status)).toEqual([201, 201, 201]);
  const inbox = ids((await globex.api.get('/inbox')).body.data);
  expect(inbox).toHaveLength(4);
  expect(new Set(inbox)).toEqual(new Set([first.body.id, ...repeats.map(({ body }) => body.id)]));
  await service.stop();
});

test('a node that hangs is named with its shards, and the others go on', async () => {
  const folder = temporaryFolder();
  handOver(folder);
  const ports = [await freePort(), await freePort()];
  const clusters = ports.map((port) => path.join(folder, String(port)));
  for (const [n, cluster] of clusters.entries()) {
    createCluster(cluster);
    await startCluster(cluster, ports[n] as number);
  }
  const log = pino({ level: 'fatal' });
  const [first, second] = ports.map((port) => {
    const connection = { connectionString: `postgres://waybill@127.0.0.1:${port}/postgres` };
    return new Database(connection, log, { writes: [new WriteProbe(connection, () => {}, log, `127.0.0.1:${port}`)] });
  }) as [Database, Database];
  await migrate(first);
  first.setShards([first, second]);
  const metrics = new Registry();
  collectShardMetrics(first, metrics);
  const lines = async () => (await metrics.metrics()).split('\n').filter((line) => line.startsWith('waybill_shard_writes'));
  const line = (shard: number, value: number) => `waybill_shard_writes{shard="${shard}",node="127.0.0.1:${ports[shard]}"} ${value}`;
  const ask = readinessOf(first, metrics);
  expect(await lines()).toEqual([line(0, 1), line(1, 1)]);
  expect(await ask()).toEqual({ status: 200, body: { status: 'ok' } });
  for (const pid of processesIn(clusters[1] as string)) killQuietly(pid, 'SIGSTOP');
  await until(async () => (await lines()).includes(line(1, 0)));
  expect(await lines()).toEqual([line(0, 1), line(1, 0)]);
  expect(await first.queryText('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  const shards = `No writes are committed in shard 1 on 127.0.0.1:${ports[1]}.`;
  expect(await ask()).toEqual({ status: 200, body: { status: 'ok', shards } });

  for (const pid of processesIn(clusters[0] ?? '')) killQuietly(pid, 'SIGSTOP');
  const error = { code: 'unavailable', message: 'The database commits no writes.' };
  await expect.poll(ask, { timeout: 60_000 }).toMatchObject({ status: 503, body: { error } });
  await first.close();
});

/** Asks `/readyz` of a service whose database has nodes of its own, which only Citus gives it. */
function readinessOf(database: Database, metrics: Registry) {
  const app = createServer(pino({ level: 'fatal' }), []);
  const services = {
    ...{ database, metrics, config: { metricsToken: undefined } },
    transparencyLog: { fault: async () => null, timestamps: { notice: async () => undefined } },
    promises: { fault: null },
    objects: { health: { wasReached: true, fault: undefined } },
  };
  const nothing = { params: {}, query: {}, body: undefined, rawBody: Buffer.alloc(0) };
  const free = { reserve: () => {}, spend: () => {}, prepay: () => {}, untilAffordable: async () => {} };
  app.get('/readyz', async (request) => (await ready.handle(services, { ...nothing, ...free, request })).body);
  return async () => {
    const response = await app.inject('/readyz');
    return { status: response.statusCode, body: response.json() };
  };
}
