import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Authority, newAuthority } from '../server/test/support/certificates.ts';
import { httpRequest, runLoad } from './http-load.ts';
import { PAYLOAD, SUBJECT, TYPE } from './payload.ts';
import { median, memoryMb, processorTime } from './processes.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { end, spawnService, untilReady } from './service-process.ts';

/**
 * Compares several versions of the service, each as `npm start` starts it, with its own PostgreSQL and data. They take turns, so that other
 * load on the machine affects all alike. Only one has work at a time.
 */
/** Many short turns: other load on the machine comes in spells of seconds, and a spell should spoil few of them. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 11);
const SECONDS = 3;
/** Uncounted load at the head of each turn: a service with work has its connections open, and would pay for them in each short turn. */
const LEAD_IN_SECONDS = 1;
const WARM_UP_SECONDS = 4;
/** What follows from messages is written within this time: threads, contacts, the log. It is charged to the turn that sent them. */
const SETTLE_MS = 1_500;
const ROOT = path.resolve(import.meta.dirname, '..');

interface Scenario {
  name: string;
  to: string;
  connections: number;
  /** More than one: a request is a batch of so many messages. */
  messages: number;
  hasWebhook?: true;
}

const SCENARIOS: Scenario[] = [
  { name: 'sends', to: 'globex/billing', connections: 64, messages: 1 },
  { name: 'sends with a webhook', to: 'globex/orders', connections: 64, messages: 1, hasWebhook: true },
  { name: 'batch requests', to: 'globex/billing', connections: 8, messages: 50 },
];

/** What people and programs read most. Each is read by a few clients at once, so that only processor time tells. */
const READINGS = ['a page of 50', 'a receipt', 'a page of a search'] as const;
const READERS = 8;
const READS = 400;

interface Turn {
  perSecond: number;
  p99Ms: number;
  nodeUs: number;
  postgresUs: number;
}

interface Contender {
  name: string;
  port: number;
  sender: string;
  reader: string;
  pid: number;
  /** Version 0.2 has no batch requests. */
  takesBatches: boolean;
  turns: Map<string, Turn[]>;
  stop(): Promise<void>;
}

/** Each argument is the folder of a checkout, with arguments for its start after it: "../older --processes 2". */
export async function measureInTurns(others: string[]): Promise<void> {
  const authority = newAuthority();
  const receiver = await startReceiver(authority);
  const contenders: Contender[] = [];
  try {
    for (const other of [ROOT, ...others]) contenders.push(await start(other, authority, receiver));
    for (let round = 0; round <= ROUNDS; round++) {
      for (const contender of round % 2 ? contenders.toReversed() : contenders) {
        for (const scenario of scenariosOf(contender)) {
          const turn = await takeTurn(contender, scenario, receiver, round === 0 ? WARM_UP_SECONDS : SECONDS);
          if (round > 0) contender.turns.set(scenario.name, [...(contender.turns.get(scenario.name) ?? []), turn]);
          console.error(`· round ${round} of ${ROUNDS}, ${scenario.name}, ${contender.name}: ${Math.round(turn.perSecond)} a second`);
        }
      }
    }
    for (let round = 0; round <= ROUNDS; round++) {
      for (const contender of round % 2 ? contenders.toReversed() : contenders) {
        for (const [reading, path] of await pathsOf(contender)) {
          const turn = await readInTurn(contender, path);
          if (round > 0) contender.turns.set(reading, [...(contender.turns.get(reading) ?? []), turn]);
        }
      }
      console.error(`· round ${round} of ${ROUNDS}, readings`);
    }
    for (const scenario of SCENARIOS) {
      const { name, connections, messages } = scenario;
      console.log(`\nMedians of ${ROUNDS} turns, ${name}: ${connections} connections, ${messages} x 1 KB`);
      console.table(contenders.filter(({ turns }) => turns.has(name)).map((contender) => summary(contender, name)));
    }
    for (const reading of READINGS) {
      console.log(`\nMedians of ${ROUNDS} turns, ${reading}: ${READS} reads by ${READERS} clients`);
      console.table(contenders.map((contender) => summary(contender, reading)));
    }
  } finally {
    for (const contender of contenders) await contender.stop();
    await receiver.stop();
  }
}

function scenariosOf({ takesBatches }: Contender): Scenario[] {
  return SCENARIOS.filter(({ messages }) => takesBatches || messages === 1);
}

function summary({ name, turns, pid }: Contender, scenario: string) {
  const of = (key: keyof Turn) => median((turns.get(scenario) ?? []).map((turn) => turn[key]));
  const { node, postgres } = memoryMb(pid);
  return {
    '': name,
    '/s': Math.round(of('perSecond')),
    'p99 ms': of('p99Ms').toFixed(1),
    'Node µs': Math.round(of('nodeUs')),
    'PostgreSQL µs': Math.round(of('postgresUs')),
    'Node MB': Math.round(node),
    'PostgreSQL MB': Math.round(postgres),
  };
}

async function takeTurn({ port, sender, pid }: Contender, scenario: Scenario, receiver: Receiver, seconds: number): Promise<Turn> {
  const { to, connections, messages, hasWebhook = false } = scenario;
  const message = `{"to":"${to}","type":"${TYPE}","subject":"${SUBJECT}","json":${PAYLOAD}}`;
  const request =
    messages === 1
      ? httpRequest('POST', '/v1/messages', sender, message)
      : httpRequest('POST', '/v1/messages/batch', sender, `{"messages":[${Array(messages).fill(message).join()}]}`);
  const send = async (forSeconds: number) => {
    let sent = 0;
    const [{ delivered }, startedAt] = [await receiver.counts(), performance.now()];
    const { p99Ms } = await runLoad({
      port,
      connections,
      seconds: forSeconds,
      warmUpSeconds: 0,
      request: () => {
        sent += messages;
        return request;
      },
      expectStatus: messages === 1 ? 201 : 200,
    });
    while (hasWebhook && (await receiver.counts()).delivered - delivered < sent) await sleep(5);
    const took = (performance.now() - startedAt) / 1000;
    await sleep(SETTLE_MS);
    return { sent, took, p99Ms };
  };
  await send(LEAD_IN_SECONDS);
  const before = processorTime(pid);
  const { sent, took, p99Ms } = await send(seconds);
  const after = processorTime(pid);
  return {
    perSecond: sent / took,
    p99Ms,
    nodeUs: ((after.node - before.node) / sent) * 1e6,
    postgresUs: ((after.postgres - before.postgres) / sent) * 1e6,
  };
}

async function pathsOf({ port, reader }: Contender): Promise<[(typeof READINGS)[number], string][]> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/inbox?limit=1`, { headers: { authorization: `Bearer ${reader}` } });
  const { data } = (await response.json()) as { data: { receipt_url: string }[] };
  const token = data[0]?.receipt_url.split('/').at(-1) ?? '';
  return [
    [READINGS[0], '/v1/inbox?limit=50'],
    [READINGS[1], `/v1/receipts/${token}`],
    [READINGS[2], '/v1/search?q=ordinary&limit=20'],
  ];
}

async function readInTurn({ port, reader, pid }: Contender, path: string): Promise<Turn> {
  const headers = { authorization: `Bearer ${reader}` };
  const latencies: number[] = [];
  const read = async () => {
    const startedAt = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${text.slice(0, 500)}`);
    latencies.push(performance.now() - startedAt);
  };
  const [before, startedAt] = [processorTime(pid), performance.now()];
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      for (let left = READS / READERS; left > 0; left--) await read();
    }),
  );
  const [after, took] = [processorTime(pid), (performance.now() - startedAt) / 1000];
  latencies.sort((a, b) => a - b);
  return {
    perSecond: READS / took,
    p99Ms: latencies[Math.floor(READS * 0.99)] ?? Number.NaN,
    nodeUs: ((after.node - before.node) / READS) * 1e6,
    postgresUs: ((after.postgres - before.postgres) / READS) * 1e6,
  };
}

async function start(checkout: string, authority: Authority, receiver: Receiver): Promise<Contender> {
  const [folder = '', ...args] = checkout.split(' ');
  const data = mkdtempSync(path.join(os.tmpdir(), 'waybill-turns-'));
  const child = spawnService(folder, data, authority, args);
  const { port, keys } = await untilReady(child);
  const secretOf = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys['globex/orders']}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: receiver.url(data), target: 'globex/orders' }),
    });
    return ((await response.json()) as { secret: string }).secret;
  };
  receiver.learn(data, await secretOf());
  const stop = async () => {
    await end(child);
    rmSync(data, { recursive: true, force: true });
  };
  const name = [folder === ROOT ? 'this' : path.basename(folder), ...args].join(' ');
  const takesBatches = existsSync(path.join(folder, 'server/src/modules/messages/batch-routes.ts'));
  return {
    name,
    port,
    sender: keys['acme/purchasing'] ?? '',
    reader: keys['globex/orders'] ?? '',
    pid: child.pid ?? 0,
    takesBatches,
    turns: new Map(),
    stop,
  };
}
