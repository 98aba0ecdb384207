import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createAgent, createKey } from '../server/src/modules/agents/agents.ts';
import { PartyDirectory } from '../server/src/modules/parties/directory.ts';
import { migrate } from '../server/src/platform/migrations/migrate.ts';
import { ChangeFeed } from '../server/src/platform/postgres/change-feed.ts';
import { connectionTo } from '../server/src/platform/postgres/database-hosts.ts';
import { Database } from '../server/src/platform/postgres/postgres.ts';
import { distribute } from '../server/src/platform/shards/distribute.ts';
import { type Authority, newAuthority } from '../server/test/support/certificates.ts';
import { createCitusDatabase, programsWithCitus, startCitus } from '../server/test/support/citus.ts';
import { freePort } from '../server/test/support/free-port.ts';
import { createCluster, handOver, queryAt, startCluster, stopCluster } from '../server/test/support/tcp-postgres.ts';
import { httpRequest, runLoad } from './http-load.ts';
import { PAYLOAD, SUBJECT, TYPE } from './payload.ts';
import { median, processorTime } from './processes.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { end, spawnService } from './service-process.ts';

/**
 * Compares one PostgreSQL with a coordinator and two workers of Citus, all of the same version and on this machine. Each has its own
 * service. They take turns, and only one has work at a time.
 */
const ROUNDS = 5;
const SECONDS = 6;
const WARM_UP_SECONDS = 3;
const CONNECTIONS = 64;
const BUSINESSES = 1_000;
const SHARDS = 2;
const SETTINGS = { fsync: 'on', shared_buffers: '256MB', max_connections: '400' };
const ROOT = path.resolve(import.meta.dirname, '..');

const SCENARIOS = [
  'sends to one',
  'sends to 1,000',
  'sends inside a shard',
  'sends between two shards',
  'inbox pages',
  'receipts',
  'deliveries',
] as const;
type Scenario = (typeof SCENARIOS)[number];

interface Turn {
  perSecond: number;
  p99Ms: number;
  /** Processor time for each request, in microseconds: of Node, of the coordinator or the one PostgreSQL, and of the workers. */
  nodeUs: number;
  postgresUs: number;
  workersUs: number;
}

interface Store {
  url: string;
  pids: number[];
  stop(): Promise<void>;
}

interface Contender extends Store {
  name: string;
  port: number;
  service: number;
  keys: string[];
  /** The shards of the businesses. One PostgreSQL has the same pairs of sender and recipient. */
  shards: number[];
  receipts: string[];
  turns: Map<Scenario, Turn[]>;
}

export async function measureCitus(): Promise<void> {
  const programs = programsWithCitus();
  if (programs === undefined) {
    console.log('Skipped: there is no Citus here. See npm run test:citus.');
    return;
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-bench-citus-'));
  handOver(folder);
  const authority = newAuthority();
  const receiver = await startReceiver(authority);
  const contenders: Contender[] = [];
  try {
    contenders.push(await start('one PostgreSQL', await onePostgres(folder, programs), 0, authority, receiver));
    contenders.push(await start('Citus, 3 nodes', await threeNodes(folder, programs), SHARDS, authority, receiver));
    for (let round = 0; round <= ROUNDS; round++)
      for (const scenario of SCENARIOS)
        for (const contender of round % 2 ? contenders.toReversed() : contenders) {
          const turn = await takeTurn(contender, scenario, receiver, round === 0 ? WARM_UP_SECONDS : SECONDS);
          if (round > 0) contender.turns.set(scenario, [...(contender.turns.get(scenario) ?? []), turn]);
          console.error(`· round ${round} of ${ROUNDS}, ${scenario}, ${contender.name}: ${Math.round(turn.perSecond)} a second`);
        }
    for (const scenario of SCENARIOS) {
      console.log(`\nMedians of ${ROUNDS} turns, ${scenario}: ${CONNECTIONS} connections`);
      console.table(contenders.map((contender) => summary(contender, contenders[0], scenario)));
    }
  } finally {
    for (const contender of contenders) await contender.stop();
    await receiver.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function summary({ name, turns }: Contender, first: Contender | undefined, scenario: Scenario) {
  const of = (key: keyof Turn, from = turns) => median((from.get(scenario) ?? []).map((turn) => turn[key]));
  return {
    '': name,
    'per second': Math.round(of('perSecond')),
    ratio: (of('perSecond') / of('perSecond', first?.turns)).toFixed(2),
    'p99 ms': of('p99Ms').toFixed(1),
    'Node µs': Math.round(of('nodeUs')),
    'PostgreSQL µs': Math.round(of('postgresUs')),
    'workers µs': Math.round(of('workersUs')),
  };
}

async function onePostgres(folder: string, programs: string): Promise<Store> {
  const [cluster, port] = [path.join(folder, 'one'), await freePort()];
  createCluster(cluster, programs);
  const child = await startCluster(cluster, port, SETTINGS, programs);
  await queryAt(port, 'CREATE DATABASE bench');
  return { url: `postgres://waybill@127.0.0.1:${port}/bench`, pids: [child.pid ?? 0], stop: () => stopCluster(child) };
}

async function threeNodes(folder: string, programs: string): Promise<Store> {
  const nodes = await startCitus(folder, programs, SETTINGS);
  await createCitusDatabase(nodes.urls, 'bench');
  return { url: (nodes.urls[0] ?? '').replace(/\/postgres$/, '/bench'), pids: nodes.pids, stop: nodes.stop };
}

async function start(name: string, store: Store, shards: number, authority: Authority, receiver: Receiver): Promise<Contender> {
  const log = pino({ level: 'silent' });
  const connection = await connectionTo(store.url);
  const database = new Database(connection, log);
  await migrate(database);
  if (shards > 0) await distribute(database, shards, () => {});
  const parties = new PartyDirectory(database, new ChangeFeed(connection, log));
  const keys: string[] = [];
  const places: number[] = [];
  for (let i = 0; i < BUSINESSES; i++) {
    const { id } = await parties.create(`business-${i}`, `Business ${i}`);
    const agent = await createAgent(database, id, { name: 'Bench' });
    keys.push((await createKey(database, id, agent.id, 'read_write')).secret);
    places.push(Number(id % BigInt(SHARDS)));
  }
  await database.close();
  const data = mkdtempSync(path.join(os.tmpdir(), 'waybill-bench-data-'));
  const port = await freePort();
  const child = spawnService(ROOT, data, authority, [], { DATABASE_URL: store.url, LOG_KEY_PLAINTEXT: 'allow', PORT: String(port) });
  while (
    !(await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(100);
  for (const key of keys.slice(100, 200)) {
    const where = `/${port}/${key}`;
    const { secret } = await post(port, key, '/v1/webhooks', { url: receiver.url(where) });
    receiver.learn(where, secret);
  }
  const stop = async () => {
    await end(child);
    await store.stop();
    rmSync(data, { recursive: true, force: true });
  };
  return { ...store, name, port, service: child.pid ?? 0, keys, shards: places, receipts: [], turns: new Map(), stop };
}

async function post(port: number, key: string, where: string, body: unknown): Promise<{ secret: string; receipt_url: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${where}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as { secret: string; receipt_url: string };
}

const anyOf = <T>(list: readonly T[], from = 0, to = list.length) => from + Math.floor(Math.random() * (to - from));

function send(key: string, to: number): string {
  const body = `{"to":"business-${to}","type":"${TYPE}","subject":"${SUBJECT}","json":${PAYLOAD}}`;
  return httpRequest('POST', '/v1/messages', key, body);
}

/** The requests of a scenario. Recipients of deliveries have a webhook each, the others none. */
function requestOf({ keys, shards, receipts }: Contender, scenario: Scenario): string {
  const sender = anyOf(keys);
  const key = keys[sender] ?? '';
  if (scenario === 'sends to one') return send(key, 7);
  if (scenario === 'sends to 1,000') return send(key, anyOf(keys, 200));
  if (scenario === 'sends inside a shard' || scenario === 'sends between two shards') {
    let to: number;
    do to = anyOf(keys, 200);
    while ((shards[to] === shards[sender]) !== (scenario === 'sends inside a shard'));
    return send(key, to);
  }
  if (scenario === 'deliveries') return send(key, anyOf(keys, 100, 200));
  if (scenario === 'inbox pages') return httpRequest('GET', '/v1/inbox?limit=50', keys[anyOf(keys, 100)] ?? '');
  return httpRequest('GET', `/v1/receipts/${receipts[anyOf(receipts)]}`, key);
}

async function takeTurn(contender: Contender, scenario: Scenario, receiver: Receiver, seconds: number): Promise<Turn> {
  const { port, service, pids, keys, receipts } = contender;
  if (scenario === 'receipts' && receipts.length === 0)
    for (let i = 0; i < 200; i++) {
      const { receipt_url } = await post(port, keys[anyOf(keys)] ?? '', '/v1/messages', { to: 'business-7', note: 'hello' });
      receipts.push(receipt_url.split('/').at(-1) ?? '');
    }
  let made = 0;
  const before = [service, ...pids].map((pid) => processorTime(pid));
  const [{ delivered }, startedAt] = [await receiver.counts(), performance.now()];
  const { p99Ms } = await runLoad({
    port,
    connections: CONNECTIONS,
    seconds,
    warmUpSeconds: 0,
    request: () => {
      made++;
      return requestOf(contender, scenario);
    },
    expectStatus: scenario === 'inbox pages' || scenario === 'receipts' ? 200 : 201,
  });
  while (scenario === 'deliveries' && (await receiver.counts()).delivered - delivered < made) await sleep(5);
  const took = (performance.now() - startedAt) / 1000;
  // Work that is left after the last request belongs to the measurement, too.
  await sleep(500);
  const [node = 0, first = 0, ...workers] = [service, ...pids].map((pid, i) => {
    const after = processorTime(pid);
    return ((after.node + after.postgres - (before[i]?.node ?? 0) - (before[i]?.postgres ?? 0)) / made) * 1e6;
  });
  return { perSecond: made / took, p99Ms, nodeUs: node, postgresUs: first, workersUs: workers.reduce((sum, one) => sum + one, 0) };
}
