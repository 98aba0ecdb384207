import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Authority } from '../server/test/support/certificates.ts';
import { httpRequest, runLoad } from './http-load.ts';
import { PAYLOAD, SUBJECT, TYPE } from './payload.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import type { ServiceUnderTest } from './service-process.ts';

export interface WebhookResult {
  deliveriesPerSecond: number;
  barePerSecond: number;
  ratio: number;
  ofTurns: { lowest: number; median: number; highest: number };
  /** The latency from the 201 response to the receiver, while messages are sent at this rate. */
  latencyAt: { perSecond: number; p50Ms: number; p99Ms: number }[];
  isolation: { alone: number; besideDead: number; ratio: number; firstAttemptP99Ms: number };
}

export interface Business {
  id: bigint;
  key: string;
}

export const BACKLOG = 20_000;
const CONNECTIONS = 64;
const BARE_SECONDS = 2;
/** Many short turns, because the speed of a shared machine may double from one ten seconds to the next. */
const TURNS = 10;
const ISOLATION_TURNS = 5;
const LATENCY_SECONDS = 8;
const PACER_TICK_MS = 10;
const DEAD_ENDPOINTS = 100;
const DEAD_BACKLOG = 10_000;
const FIRST_ATTEMPTS = 200;

export async function measureWebhooks(
  service: ServiceUnderTest,
  authority: Authority,
  progress: (text: string) => void,
): Promise<WebhookResult> {
  const receiver = await startReceiver(authority);
  const agent = new Agent({ connections: CONNECTIONS, allowH2: false, connect: { ca: authority.cert } });
  try {
    const sender = await service.createBusiness('webhook-sender');
    const subscriber = await service.createBusiness('subscriber');
    progress(`sending ${BACKLOG.toLocaleString('en')} messages, for webhooks to be registered later`);
    await send(service, sender, 'subscriber', BACKLOG);
    const webhookId = await register(service, receiver, subscriber, '/healthy');
    const drain = () => measureDrain(service, receiver, subscriber, webhookId);

    progress('warming up');
    for (let i = 0; i < 2; i++) {
      await drain();
      await bareLoop(service, receiver, subscriber, agent);
    }
    const rates: number[] = [];
    const bare: number[] = [];
    for (let turn = 1; turn <= TURNS; turn++) {
      progress(`delivering them to a receiver, and posting the same in a bare loop, turn ${turn} of ${TURNS}`);
      rates.push(await drain());
      bare.push(await bareLoop(service, receiver, subscriber, agent));
    }
    const ratios = rates.map((rate, i) => rate / (bare[i] as number)).sort((a, b) => a - b);
    const deliveriesPerSecond = mean(rates);
    const latencyAt = [];
    for (const perSecond of [1_000, Math.round(deliveriesPerSecond / 2 / 100) * 100]) {
      progress(`sending ${perSecond} messages a second and watching them arrive`);
      latencyAt.push({ perSecond, ...(await latency(service, receiver, sender, perSecond)) });
    }

    progress(`${DEAD_ENDPOINTS} endpoints that never respond, ${DEAD_BACKLOG.toLocaleString('en')} attempts waiting for each`);
    await addDeadEndpoints(service, receiver);
    const firstAttemptP99Ms = await firstAttempts(service, receiver, sender);
    const besides: number[] = [];
    const alones: number[] = [];
    // They take turns, so that other load on the machine affects both alike.
    for (let turn = 1; turn <= ISOLATION_TURNS; turn++) {
      progress(`delivering beside them and without them, turn ${turn} of ${ISOLATION_TURNS}`);
      await switchDeadEndpoints(service, true);
      besides.push(await drain());
      await switchDeadEndpoints(service, false);
      alones.push(await drain());
    }
    const [besideDead, alone] = [mean(besides), mean(alones)];
    return {
      deliveriesPerSecond,
      barePerSecond: mean(bare),
      ratio: deliveriesPerSecond / mean(bare),
      ofTurns: { lowest: quantile(ratios, 0), median: quantile(ratios, 0.5), highest: quantile(ratios, 1) },
      latencyAt,
      isolation: { alone, besideDead, ratio: besideDead / alone, firstAttemptP99Ms },
    };
  } finally {
    // A million attempts to a receiver that is gone would disturb the next measurement.
    await service.sql.query('TRUNCATE webhooks, webhook_attempts');
    await agent.destroy();
    await receiver.stop();
  }
}

export async function call(service: ServiceUnderTest, key: string, method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const response = await fetch(`http://127.0.0.1:${service.port}/v1${path}`, { method, headers, body: JSON.stringify(body) ?? null });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}

export async function register(service: ServiceUnderTest, receiver: Receiver, { key }: Business, path: string): Promise<string> {
  const response = await call(service, key, 'POST', '/webhooks', { url: receiver.url(path) });
  const { secret } = (await response.json()) as { secret: string };
  receiver.learn(path, secret);
  const { rows } = await service.sql.query('SELECT id FROM webhooks ORDER BY created_at DESC LIMIT 1');
  return rows[0].id;
}

const messageTo = (handle: string) => `{"to":"${handle}","type":"${TYPE}","subject":"${SUBJECT}","json":${PAYLOAD}}`;

export async function send(service: ServiceUnderTest, { key }: Business, to: string, count: number): Promise<void> {
  let left = count;
  const one = () => {
    left--;
    return httpRequest('POST', '/v1/messages', key, messageTo(to));
  };
  while (left > 0)
    await runLoad({ port: service.port, connections: CONNECTIONS, seconds: 1, warmUpSeconds: 0, request: one, expectStatus: 201 });
}

/**
 * Queues an attempt for each message of the inbox, as a send would, and measures how fast the receiver gets them. An ordered webhook gets
 * them in this many threads.
 */
export async function measureDrain(
  service: ServiceUnderTest,
  receiver: Receiver,
  { id }: Business,
  webhookId: string,
  threads: number | null = null,
): Promise<number> {
  await service.sql.query('CHECKPOINT');
  const before = await receiver.counts();
  const { rowCount } = await service.sql.query(
    `INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at, thread_id, position)
     SELECT party_id, $2, new_uuid(now()), message_id, 'message.received', 1, now(), now(),
            md5(((row_number() OVER ()) % $4::integer)::text)::uuid, CASE WHEN $4 > 0 THEN position END
       FROM ledger_entries WHERE party_id = $1 AND box = 'in' LIMIT $3`,
    [id, webhookId, BACKLOG, threads],
  );
  await service.sql.query(`SELECT pg_notify('waybill_webhooks', $1)`, [`${id}:${webhookId}`]);
  // Measured from the first arrivals to almost the last, so that neither the beginning nor the end counts.
  let from: { delivered: number; at: number } | undefined;
  for (;;) {
    await sleep(50);
    const now = await receiver.counts();
    if (now.refused > before.refused) throw new Error('a signature was not accepted');
    const done = now.delivered - before.delivered;
    if (from === undefined && done > 0.1 * (rowCount ?? 0)) from = now;
    if (from !== undefined && done > 0.95 * (rowCount ?? 0)) {
      const perSecond = ((now.delivered - from.delivered) / (now.at - from.at)) * 1000;
      while ((await receiver.counts()).delivered - before.delivered < (rowCount ?? 0)) await sleep(20);
      await sleep(500);
      return perSecond;
    }
  }
}

/** Sends the same bodies and headers by the same client and connections, without the service. */
async function bareLoop(service: ServiceUnderTest, receiver: Receiver, { key }: Business, agent: Agent): Promise<number> {
  const { data } = (await (await call(service, key, 'GET', '/inbox?limit=50')).json()) as { data: { id: string }[] };
  const bodies = data.map((envelope) => Buffer.from(JSON.stringify(envelope)));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'waybill-webhooks/1.0',
    'waybill-event': 'message.received',
    'waybill-delivery-id': 'dlv_01m7f1qknnf21skmhnj1408gh9',
    'waybill-signature': `t=1794727726,v1=${'0'.repeat(64)}`,
    'webhook-id': data[0]?.id ?? '',
    'webhook-timestamp': '1794727726',
    'webhook-signature': `v1,${'0'.repeat(44)}`,
  };
  const url = new URL(receiver.url('/healthy'));
  let posted = 0;
  const until = performance.now() + BARE_SECONDS * 1000;
  const loop = async () => {
    while (performance.now() < until) {
      const body = bodies[posted++ % bodies.length] as Buffer;
      const response = await request(url, { method: 'POST', headers, body, dispatcher: agent });
      for await (const _ of response.body);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, loop));
  return posted / BARE_SECONDS;
}

/** Sends at a steady rate, and compares the time of each 201 response with the arrival at the receiver. */
export async function latency(service: ServiceUnderTest, receiver: Receiver, { key }: Business, perSecond: number) {
  receiver.watch();
  const respondedAt = new Map<string, number>();
  const pending: Promise<void>[] = [];
  const agent = new Agent({ connections: 128 });
  const url = `http://127.0.0.1:${service.port}/v1/messages`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const one = async () => {
    const response = await request(url, { method: 'POST', headers, body: messageTo('subscriber'), dispatcher: agent });
    const text = await response.body.text();
    respondedAt.set(/"id":"(msg_\w+)"/.exec(text)?.[1] ?? '', performance.timeOrigin + performance.now());
  };
  const begin = performance.now();
  for (let sent = 0; sent < perSecond * LATENCY_SECONDS; await sleep(PACER_TICK_MS)) {
    const due = Math.min(perSecond * LATENCY_SECONDS, ((performance.now() - begin) / 1000) * perSecond);
    for (; sent < due; sent++) pending.push(one());
  }
  await Promise.all(pending);
  await agent.destroy();
  let arrivals = await receiver.arrivals();
  while (arrivals.length < respondedAt.size) {
    await sleep(100);
    arrivals = await receiver.arrivals();
  }
  const late = arrivals.map(([id, at]) => at - (respondedAt.get(id) ?? Number.NaN)).sort((a, b) => a - b);
  return { p50Ms: quantile(late, 0.5), p99Ms: quantile(late, 0.99), maxMs: late.at(-1) ?? Number.NaN };
}

async function addDeadEndpoints(service: ServiceUnderTest, receiver: Receiver): Promise<void> {
  for (let i = 0; i < DEAD_ENDPOINTS; i++) {
    const business = await service.createBusiness(`dead-${i}`);
    const webhookId = await register(service, receiver, business, '/dead');
    await service.sql.query(
      `INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at)
       SELECT $1, $2, new_uuid(now()), new_uuid(now()), 'message.test', 1, now(), now() FROM generate_series(1, $3)`,
      [business.id, webhookId, DEAD_BACKLOG],
    );
  }
  // The endpoints count as proven: unproven ones get one attempt at a time, and would not compete.
  await service.sql.query(`UPDATE webhooks SET first_success_at = now() WHERE url LIKE '%/dead'`);
  await service.sql.query('VACUUM ANALYZE webhook_attempts');
  await service.sql.query(`SELECT pg_notify('waybill_webhooks', '')`);
  await sleep(2_000);
}

/** After it switches the endpoints off, it waits ten seconds until the attempts under way have ended. */
async function switchDeadEndpoints(service: ServiceUnderTest, active: boolean): Promise<void> {
  await service.sql.query(
    `UPDATE webhooks SET active = $1, pause_reason = CASE WHEN NOT $1 THEN 'requested' END, paused_at = CASE WHEN NOT $1 THEN now() END
      WHERE url LIKE '%/dead'`,
    [active],
  );
  await service.sql.query(`SELECT pg_notify('waybill_webhooks', '')`);
  await sleep(active ? 2_000 : 11_000);
}

async function firstAttempts(service: ServiceUnderTest, receiver: Receiver, sender: Business): Promise<number> {
  receiver.watch();
  const respondedAt = new Map<string, number>();
  for (let i = 0; i < FIRST_ATTEMPTS; i++) {
    const response = await call(service, sender.key, 'POST', '/messages', { to: 'subscriber' });
    respondedAt.set(((await response.json()) as { id: string }).id, performance.timeOrigin + performance.now());
    await sleep(10);
  }
  let arrivals = await receiver.arrivals();
  while (arrivals.filter(([id]) => respondedAt.has(id)).length < FIRST_ATTEMPTS) {
    await sleep(100);
    arrivals = await receiver.arrivals();
  }
  const late = arrivals.flatMap(([id, at]) => (respondedAt.has(id) ? [at - (respondedAt.get(id) as number)] : [])).sort((a, b) => a - b);
  return quantile(late, 0.99);
}

function quantile(sorted: number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

function mean(numbers: number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
