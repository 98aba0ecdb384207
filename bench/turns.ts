import { mkdtempSync, rmSync } from 'node:fs';
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
const ROUNDS = 7;
const SECONDS = 6;
const WARM_UP_SECONDS = 4;
const CONNECTIONS = 64;
const ROOT = path.resolve(import.meta.dirname, '..');

const SCENARIOS = ['sends', 'sends with a webhook'] as const;

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
  pid: number;
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
        for (const scenario of SCENARIOS) {
          const turn = await takeTurn(contender, scenario, receiver, round === 0 ? WARM_UP_SECONDS : SECONDS);
          if (round > 0) contender.turns.set(scenario, [...(contender.turns.get(scenario) ?? []), turn]);
          console.error(`· round ${round} of ${ROUNDS}, ${scenario}, ${contender.name}: ${Math.round(turn.perSecond)} a second`);
        }
      }
    }
    for (const scenario of SCENARIOS) {
      console.log(`\nMedians of ${ROUNDS} turns, ${scenario}: ${CONNECTIONS} connections, 1 KB`);
      console.table(contenders.map((contender) => summary(contender, scenario)));
    }
  } finally {
    for (const contender of contenders) await contender.stop();
    await receiver.stop();
  }
}

function summary({ name, turns, pid }: Contender, scenario: string) {
  const of = (key: keyof Turn) => median((turns.get(scenario) ?? []).map((turn) => turn[key]));
  const { node, postgres } = memoryMb(pid);
  return {
    '': name,
    'messages /s': Math.round(of('perSecond')),
    'p99 ms': of('p99Ms').toFixed(1),
    'Node µs': Math.round(of('nodeUs')),
    'PostgreSQL µs': Math.round(of('postgresUs')),
    'Node MB': Math.round(node),
    'PostgreSQL MB': Math.round(postgres),
  };
}

async function takeTurn({ port, sender, pid }: Contender, scenario: string, receiver: Receiver, seconds: number): Promise<Turn> {
  const hasWebhook = scenario !== 'sends';
  const body = `{"to":"${hasWebhook ? 'globex/orders' : 'globex/billing'}","type":"${TYPE}","subject":"${SUBJECT}","json":${PAYLOAD}}`;
  const request = httpRequest('POST', '/v1/messages', sender, body);
  let sent = 0;
  const [before, { delivered }, startedAt] = [processorTime(pid), await receiver.counts(), performance.now()];
  const { p99Ms } = await runLoad({
    port,
    connections: CONNECTIONS,
    seconds,
    warmUpSeconds: 0,
    request: () => {
      sent++;
      return request;
    },
    expectStatus: 201,
  });
  while (hasWebhook && (await receiver.counts()).delivered - delivered < sent) await sleep(5);
  const took = (performance.now() - startedAt) / 1000;
  // Work that is left after the last delivery belongs to the measurement, too.
  await sleep(500);
  const after = processorTime(pid);
  return {
    perSecond: sent / took,
    p99Ms,
    nodeUs: ((after.node - before.node) / sent) * 1e6,
    postgresUs: ((after.postgres - before.postgres) / sent) * 1e6,
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
  return { name, port, sender: keys['acme/purchasing'] ?? '', pid: child.pid ?? 0, turns: new Map(), stop };
}
