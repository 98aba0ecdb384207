import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { exponential } from '../support/hostile-schemas.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from '../support/process.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const ROUNDS = 6;
const SENDS = 25;
const ATTACKS_AT_ONCE = 12;
const HOSTILE = [exponential(40), { items: { pattern: '(x+x+)+y' } }, { ...exponential(30), uniqueItems: true }];
/** Uses the processor like a schema, without any code of the service. */
const BURN = `require('node:os').setPriority(0, 5); for (;;);`;

let service: TestService;
let served: ServiceProcess;
let sender: Api;
let attackers: TestBusiness[];

beforeAll(async () => {
  service = await startTestService({}, 'api');
  const [from, victim] = [await service.business('sender'), await service.business('victim')];
  await service.business('plain');
  attackers = await Promise.all(HOSTILE.map((_, i) => service.business(`attacker-${i}`)));
  await victim.api.write('PUT', '/inbox/schema', { schema: { required: ['sku'], properties: { sku: { pattern: '^A-' } } } });
  for (const [i, { api }] of attackers.entries()) {
    expect((await api.write('PUT', '/inbox/schema', { schema: HOSTILE[i] })).status).toBe(200);
  }
  served = await startProcess({
    env: { DATABASE_URL: service.databaseUrl, DATA_DIR: temporaryFolder(), RATE_LIMIT_PER_MINUTE: '0' },
    args: ['--role', 'api'],
  });
  sender = from.api.at(served.url);
});
afterAll(async () => {
  await served.stop();
  await service.stop();
});

interface Seen {
  medianMs: number;
  stopMs: number;
}

/** The longest stop since the last call. */
async function longestStopMs(): Promise<number> {
  const { text } = await sender.request('GET', '/metrics');
  return 1_000 * Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]);
}

async function sendsBeside(flood: (isOver: () => boolean) => Promise<void>): Promise<Seen> {
  let isOver = false;
  const flooding = Array.from({ length: ATTACKS_AT_ONCE }, () => flood(() => isOver));
  await sleep(700);
  await longestStopMs();
  const times: number[] = [];
  for (let i = 0; i < SENDS; i++) {
    const startedAt = performance.now();
    const { status, body } = await sender.send({ to: 'victim', json: { sku: 'A-1' } });
    times.push(performance.now() - startedAt);
    expect([status, body.validation]).toEqual([201, { status: 'passed', errors: [] }]);
    await sleep(20);
  }
  const stopMs = await longestStopMs();
  isOver = true;
  await Promise.all(flooding);
  return { medianMs: times.sort((a, b) => a - b)[Math.floor(SENDS / 2)] as number, stopMs };
}

const JSON_SENT = ['x'.repeat(20_000)];

test('hostile schemas slow the sends of others, and stop the event loop, no more than any other load of the processor', async () => {
  let attacks = 0;
  const besideSchemas = () =>
    sendsBeside(async (isOver) => {
      while (!isOver()) {
        const to = `attacker-${attacks++ % attackers.length}`;
        const { status, body } = await sender.send({ to, json: JSON_SENT });
        expect([status, body.validation.status]).toEqual([201, 'failed']);
      }
    });
  // The same sends at the same rate, beside a thread that is as busy as the worker.
  const besideBurn = async () => {
    const burning = new Worker(BURN, { eval: true });
    const seen = await sendsBeside(async (isOver) => {
      while (!isOver()) {
        expect((await sender.send({ to: 'plain', json: JSON_SENT })).status).toBe(201);
        await sleep(500);
      }
    });
    await burning.terminate();
    return seen;
  };

  const rounds: { schemas: Seen; burn: Seen }[] = [];
  for (let i = 0; i < ROUNDS; i++) rounds.push({ schemas: await besideSchemas(), burn: await besideBurn() });
  const least = (value: (round: { schemas: Seen; burn: Seen }) => number) => Math.min(...rounds.map(value));
  const [schemasMs, burnMs] = [least(({ schemas }) => schemas.medianMs), least(({ burn }) => burn.medianMs)];
  const [schemasStopMs, burnStopMs] = [least(({ schemas }) => schemas.stopMs), least(({ burn }) => burn.stopMs)];
  console.log(
    `sends: ${schemasMs.toFixed(1)} ms beside ${attacks} hostile messages, ${burnMs.toFixed(1)} ms beside the same load without schemas; ` +
      `longest stops ${schemasStopMs.toFixed(1)} and ${burnStopMs.toFixed(1)} ms`,
  );
  expect(attacks).toBeGreaterThan(ROUNDS * ATTACKS_AT_ONCE);
  // A stall by a schema would show in every round, but one by other programs only in some.
  expect(schemasMs).toBeLessThan(2 * burnMs + 10);
  expect(schemasStopMs).toBeLessThan(burnStopMs + 20);
});
