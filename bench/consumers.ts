import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { newAuthority } from '../server/test/support/certificates.ts';
import { httpRequest, runLoad } from './http-load.ts';
import { PAYLOAD, SUBJECT, TYPE } from './payload.ts';
import { median, processorTime } from './processes.ts';
import { type ServiceUnderTest, startServiceUnderTest } from './service-process.ts';

/**
 * Measures how fast workers drain a consumer, how soon they get a message that comes while they wait, and the cost of consumers that nobody
 * uses.
 */
/** `BACKLOG=5000 npm run bench -- consumers` for a short run. */
const BACKLOG = Number(process.env['BACKLOG'] ?? 20_000);
const WORKERS = 16;
const LEASED_AT_ONCE = 100;
const DRAINS = 5;
const LATENCY_SECONDS = 10;
const SENDS_PER_SECOND = 1_000;
const PACER_TICK_MS = 10;
const IDLE_BUSINESSES = 100;
const IDLE_PER_BUSINESS = 100;
const IDLE_TURNS = 5;
const CONNECTIONS = 64;

interface Business {
  id: bigint;
  key: string;
}

export async function measureConsumers(): Promise<void> {
  const service = await startServiceUnderTest(newAuthority());
  const agent = new Agent({ connections: 2 * WORKERS });
  try {
    const sender = await service.createBusiness('sender');
    const reader = await service.createBusiness('reader');
    const consumer = new Client(service, reader.key, agent);
    console.error(`· sending ${BACKLOG.toLocaleString('en')} messages`);
    await send(service, sender, BACKLOG);
    await consumer.call('PUT', '', { start: 'beginning' });
    const drains: Drain[] = [];
    for (let turn = 1; turn <= DRAINS; turn++) {
      console.error(`· draining with ${WORKERS} workers, ${LEASED_AT_ONCE} messages a lease, turn ${turn} of ${DRAINS}`);
      await consumer.call('POST', '/seek', { position: 'beginning' });
      await service.sql.query('CHECKPOINT');
      drains.push(await drain(service, consumer));
    }
    const of = (key: keyof Drain) => drains.map((one) => Math.round(one[key]));
    console.table([
      { 'messages per second': median(of('perSecond')), 'Node µs': median(of('nodeUs')), 'PostgreSQL µs': median(of('postgresUs')) },
    ]);
    console.table([{ turns: of('perSecond').join(' '), 'Node µs': of('nodeUs').join(' '), 'PostgreSQL µs': of('postgresUs').join(' ') }]);
    console.error(`· sending ${SENDS_PER_SECOND} messages a second to ${WORKERS} workers that wait`);
    console.table(await latency(service, sender, consumer));
    console.error(`· ${(IDLE_BUSINESSES * IDLE_PER_BUSINESS).toLocaleString('en')} consumers that nobody uses`);
    console.table(await idle(service, sender, reader));
  } finally {
    await agent.destroy();
    await service.stop();
  }
}

class Client {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #agent: Agent;

  constructor({ port }: ServiceUnderTest, key: string, agent: Agent) {
    this.#url = `http://127.0.0.1:${port}/v1/consumers/bench`;
    this.#headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    this.#agent = agent;
  }

  async call(method: 'PUT' | 'POST', path: string, body: object): Promise<string> {
    const options = { method, headers: this.#headers, body: JSON.stringify(body), dispatcher: this.#agent } as const;
    const response = await request(this.#url + path, options);
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return text;
  }

  /** Returns the ids of the leased messages, found without parsing them. */
  async lease(holder: string, limit: number, wait_s: number): Promise<string[]> {
    const text = await this.call('POST', '/lease', { holder, limit, wait_s, lease_s: 60 });
    return Array.from(text.matchAll(/"message":\{"id":"(msg_\w+)"/g), (match) => match[1] as string);
  }

  ack(holder: string, ids: string[]): Promise<string> {
    return this.call('POST', '/ack', { holder, ids });
  }
}

const messageTo = (handle: string) => `{"to":"${handle}","type":"${TYPE}","subject":"${SUBJECT}","json":${PAYLOAD}}`;

async function send(service: ServiceUnderTest, { key }: Business, count: number): Promise<void> {
  let left = count;
  const one = () => {
    left--;
    return httpRequest('POST', '/v1/messages', key, messageTo('reader'));
  };
  while (left > 0)
    await runLoad({ port: service.port, connections: CONNECTIONS, seconds: 1, warmUpSeconds: 0, request: one, expectStatus: 201 });
}

interface Drain {
  perSecond: number;
  /** Processor time for each message leased and acknowledged, in microseconds. */
  nodeUs: number;
  postgresUs: number;
}

async function drain({ pid }: ServiceUnderTest, consumer: Client): Promise<Drain> {
  let done = 0;
  const before = processorTime(pid);
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: WORKERS }, async (_, n) => {
      const lease = () => consumer.lease(`w${n}`, LEASED_AT_ONCE, 0);
      for (let ids = await lease(); ids.length > 0; ids = await lease()) {
        await consumer.ack(`w${n}`, ids);
        done += ids.length;
      }
    }),
  );
  const seconds = (performance.now() - begin) / 1000;
  const after = processorTime(pid);
  return {
    perSecond: done / seconds,
    nodeUs: ((after.node - before.node) / done) * 1e6,
    postgresUs: ((after.postgres - before.postgres) / done) * 1e6,
  };
}

/** Measures the time from the 201 to the response of the lease. */
async function latency(service: ServiceUnderTest, { key }: Business, consumer: Client) {
  const respondedAt = new Map<string, number>();
  const leasedAt = new Map<string, number>();
  let isOver = false;
  const workers = Array.from({ length: WORKERS }, async (_, n) => {
    while (!isOver) {
      const ids = await consumer.lease(`w${n}`, LEASED_AT_ONCE, 2);
      for (const id of ids) leasedAt.set(id, performance.now());
      if (ids.length > 0) await consumer.ack(`w${n}`, ids);
    }
  });
  await sleep(500);
  const agent = new Agent({ connections: 128 });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${service.port}/v1/messages`;
  const one = async () => {
    const response = await request(url, { method: 'POST', headers, body: messageTo('reader'), dispatcher: agent });
    const text = await response.body.text();
    respondedAt.set(/"id":"(msg_\w+)"/.exec(text)?.[1] ?? '', performance.now());
  };
  const pending: Promise<void>[] = [];
  const begin = performance.now();
  const total = SENDS_PER_SECOND * LATENCY_SECONDS;
  for (let sent = 0; sent < total; await sleep(PACER_TICK_MS)) {
    const due = Math.min(total, ((performance.now() - begin) / 1000) * SENDS_PER_SECOND);
    for (; sent < due; sent++) pending.push(one());
  }
  await Promise.all(pending);
  const seconds = (performance.now() - begin) / 1000;
  while ([...respondedAt.keys()].some((id) => !leasedAt.has(id))) await sleep(50);
  isOver = true;
  await Promise.all(workers);
  await agent.destroy();
  const late = [...respondedAt].map(([id, at]) => (leasedAt.get(id) ?? Number.NaN) - at).sort((a, b) => a - b);
  const at = (q: number) => Math.round((late[Math.min(late.length - 1, Math.floor(late.length * q))] ?? Number.NaN) * 10) / 10;
  return [{ 'sends per second': Math.round(total / seconds), 'p50 ms': at(0.5), 'p95 ms': at(0.95), 'p99 ms': at(0.99), 'max ms': at(1) }];
}

async function idle(service: ServiceUnderTest, sender: Business, reader: Business) {
  const businesses = [reader.id];
  for (let i = 1; i < IDLE_BUSINESSES; i++) businesses.push((await service.createBusiness(`idle-${i}`)).id);
  const rates: Record<'with' | 'without', number[]> = { with: [], without: [] };
  for (let turn = 1; turn <= IDLE_TURNS; turn++)
    for (const kind of ['without', 'with'] as const) {
      await service.sql.query('DELETE FROM consumers');
      if (kind === 'with')
        await service.sql.query(
          `INSERT INTO consumers (party_id, name, id, is_ordered, max_tries, taken_through, created_at)
           SELECT p, 'idle-' || n, gen_random_uuid(), false, 10, 0, now() FROM unnest($1::bigint[]) AS p, generate_series(1, $2) AS n`,
          [businesses, IDLE_PER_BUSINESS],
        );
      await service.sql.query('CHECKPOINT');
      const load = { port: service.port, connections: CONNECTIONS, seconds: 4, warmUpSeconds: 1, expectStatus: 201 };
      const request = () => httpRequest('POST', '/v1/messages', sender.key, messageTo('reader'));
      rates[kind].push((await runLoad({ ...load, request })).perSecond);
    }
  return Object.entries(rates).map(([kind, all]) => ({
    'idle consumers': kind,
    'sends per second': Math.round(median(all)),
    turns: all.map(Math.round).join(' '),
  }));
}
