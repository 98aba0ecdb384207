import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.ts';
import { ConsumerClient, type Leased } from '../support/consumers.ts';
import { freePort } from '../support/free-port.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { type ServiceProcess, startProcess, until } from '../support/process.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const WORKERS = 6;
const LEASE_S = 2;
const KILLS = 5;
/** Clocks are read a little apart. */
const TOLERANCE_MS = 50;

let postgres: OwnPostgres;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  return () => postgres.stop();
});

/** What workers have seen, and what must never happen. */
class Book {
  readonly sent = new Set<string>();
  readonly acknowledged = new Set<string>();
  /** Requests that acknowledge a message and have no response, or none yet: the consumer may have forgotten the message or not. */
  readonly uncertain = new Map<string, number>();
  readonly faults: string[] = [];
  readonly #held = new Map<string, { holder: string; until: number }>();
  leases = 0;
  cutOff = 0;

  take(holder: string, { message: { id, in_reply_to: previous }, lease_until }: Leased, isOrdered: boolean): void {
    const before = this.#held.get(id);
    this.leases++;
    if (this.acknowledged.has(id)) this.faults.push(`${id} came again after it had been acknowledged`);
    if (before && before.until > Date.now() + TOLERANCE_MS) this.faults.push(`${id} has two holders, ${before.holder} and ${holder}`);
    if (isOrdered && previous !== null && !this.#isOver(previous)) this.faults.push(`${id} came before ${previous} was acknowledged`);
    this.#held.set(id, { holder, until: Date.parse(lease_until) });
  }

  letGo(id: string): void {
    this.#held.delete(id);
  }

  begin(id: string): void {
    this.uncertain.set(id, (this.uncertain.get(id) ?? 0) + 1);
  }

  end(id: string): void {
    const left = (this.uncertain.get(id) ?? 0) - 1;
    if (left > 0) this.uncertain.set(id, left);
    else this.uncertain.delete(id);
  }

  confirm(id: string): void {
    if (this.acknowledged.has(id)) this.faults.push(`${id} was acknowledged twice`);
    this.acknowledged.add(id);
    this.letGo(id);
  }

  get isDone(): boolean {
    return [...this.sent].every((id) => this.#isOver(id));
  }

  #isOver(id: string): boolean {
    return this.acknowledged.has(id) || this.uncertain.has(id);
  }
}

/** A worker that dies now and then: it forgets what it holds, and another one takes its place. */
async function work(
  book: Book,
  isOrdered: boolean,
  clientFor: (holder: string) => ConsumerClient,
  number: number,
  isOver: () => boolean,
): Promise<void> {
  for (let life = 0; !isOver(); life++) {
    const holder = `worker ${number}, life ${life}`;
    while (!isOver() && randomInt(12) > 0) {
      const client = clientFor(holder);
      try {
        const { status, body } = await client.post('lease', { limit: 1 + randomInt(8), lease_s: LEASE_S, wait_s: 1 });
        if (status !== 200) continue;
        for (const item of body.data) book.take(holder, item, isOrdered);
        for (const { message } of body.data) await settle(book, client, message.id);
      } catch {
        book.cutOff++;
        await sleep(50);
      }
    }
  }
}

async function settle(book: Book, client: ConsumerClient, id: string): Promise<void> {
  const fate = randomInt(10);
  if (fate === 0) return;
  if (fate === 1) {
    // Another worker may get it before the response is here.
    book.letGo(id);
    await client.post('release', { ids: [id], reason: 'not now' });
    return;
  }
  book.begin(id);
  const { status, body } = await client.post('ack', { ids: [id] });
  if (status !== 200) return;
  book.end(id);
  if (body.acknowledged === 1) book.confirm(id);
  // Too late: the lease has lapsed, and somebody else has it.
}

describe.each([false, true])('ordered: %s', (ordered) => {
  let service: TestService;
  let [acme, globex] = [] as unknown as [TestBusiness, TestBusiness];
  let consumer: ConsumerClient;
  let victims: ServiceProcess[];
  let settings: Record<string, string>[];
  const book = new Book();

  const start = (env: Record<string, string>) => startProcess({ env, args: ['--role', 'api'] });

  /** PostgreSQL ends all connections and recovers from its log when one of its processes is killed. */
  async function killPostgres(): Promise<void> {
    const [backend] = await service.sql<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'waybill' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`,
    );
    if (backend) process.kill(backend.pid, 'SIGKILL');
  }

  beforeAll(async () => {
    service = await startTestService({ DATABASE_URL: await postgres.createDatabase() });
    [acme, globex] = [await service.business('acme'), await service.business('globex')];
    consumer = new ConsumerClient(globex.api, 'jobs');
    expect((await consumer.put({ ordered, max_tries: 100 })).status).toBe(201);
    const ports = [await freePort(), await freePort()];
    settings = ports.map((port) => ({ DATABASE_URL: service.databaseUrl, PORT: String(port), RATE_LIMIT_PER_MINUTE: '0' }));
    victims = await Promise.all(settings.map(start));
    let isOver = false;
    const api = (n: number) => new Api(victims[n % victims.length]?.url ?? '', globex.secret);
    const workers = Array.from({ length: WORKERS }, (_, n) =>
      work(
        book,
        ordered,
        (holder) => consumer.as(holder, api(n)),
        n,
        () => isOver,
      ),
    );
    let isSending = true;
    const sending = Array.from({ length: 2 }, async () => {
      let last: string | undefined;
      for (let n = 0; isSending; n++, await sleep(randomInt(15))) {
        const place = last !== undefined && n % 3 > 0 ? { in_reply_to: last } : { to: 'globex' };
        const { status, body } = await acme.api.send({ ...place, json: n }).catch(() => ({ status: 0, body: undefined }));
        if (status !== 201) continue;
        last = body.id;
        book.sent.add(body.id);
      }
    });
    for (let kills = 0; kills < KILLS; kills++) {
      const enough = book.leases + 20 + randomInt(40);
      await until(() => book.leases >= enough);
      if (kills % 2 === 1) await killPostgres();
      else {
        const n = randomInt(victims.length);
        await victims[n]?.stop('SIGKILL');
        victims[n] = await start(settings[n] ?? {});
      }
    }
    isSending = false;
    await Promise.all(sending);
    await until(() => book.isDone);
    isOver = true;
    await Promise.all(workers);
    return async () => {
      await Promise.all(victims.map((victim) => victim.stop('SIGKILL')));
      await service.stop();
    };
  });

  test('there was load, and workers were cut off in the middle', () => {
    expect(book.sent.size).toBeGreaterThan(50);
    expect(book.cutOff).toBeGreaterThan(0);
    expect(book.leases).toBeGreaterThan(book.sent.size);
  });

  test('no message has two holders, is acknowledged twice, or comes again after that', () => {
    expect(book.faults).toEqual([]);
  });

  test('every message is acknowledged or seen again, and none skipped', async () => {
    // What was acknowledged without a response is gone, or comes once more now.
    const rest: string[] = [];
    await until(async () => {
      const leased = await consumer.as('last').lease({ limit: 100, lease_s: 600, wait_s: 1 });
      for (const { message } of leased) {
        book.take('last', { message, lease_until: new Date().toISOString() }, false);
        rest.push(message.id);
        expect((await consumer.as('last').do('ack', [message.id])).acknowledged).toBe(1);
      }
      const { lag, leased: held, oldest_unacknowledged_at } = await consumer.get();
      return lag === 0 && held === 0 && oldest_unacknowledged_at === null;
    });
    expect(book.faults).toEqual([]);
    const seen = new Set([...book.acknowledged, ...book.uncertain.keys(), ...rest]);
    expect([...book.sent].filter((id) => !seen.has(id))).toEqual([]);
    expect(rest.filter((id) => !book.uncertain.has(id) && book.sent.has(id))).toEqual([]);
    const [row] = await service.sql<{ kept: number; rows: number }>(
      'SELECT kept, (SELECT count(*)::integer FROM consumer_messages) AS rows FROM consumers',
    );
    expect(row).toEqual({ kept: 0, rows: 0 });
  });
});
