import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.ts';
import { ConsumerClient, type Leased } from '../support/consumers.ts';
import { freePort } from '../support/free-port.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { type ServiceProcess, startProcess, until } from '../support/process.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const WORKERS = 4;
const LEASE_S = 2;
const KILLS = 4;
/** Two clocks are read a little apart. */
const TOLERANCE_MS = 50;

let postgres: OwnPostgres;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  return () => postgres.stop();
});

/** Records what workers have seen, and checks what must never happen. */
class Book {
  readonly sent = new Set<string>();
  readonly acknowledged = new Set<string>();
  /** The messages whose acknowledgement has no response, or none yet. The consumer may have applied it or not. */
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

/** A worker that dies at random: it forgets its messages, and another one replaces it. */
async function work(
  { book, ordered }: Trial,
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
        for (const item of body.data) book.take(holder, item, ordered);
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
    // Another worker may get the message before the response arrives.
    book.letGo(id);
    await client.post('release', { ids: [id], reason: 'not now' });
    return;
  }
  book.begin(id);
  const { status, body } = await client.post('ack', { ids: [id] });
  if (status !== 200) return;
  book.end(id);
  if (body.acknowledged === 1) book.confirm(id);
  // The lease has lapsed, and another worker has the message.
}

/** A consumer with its workers and their records. Each consumer gets every message. */
interface Trial {
  ordered: boolean;
  name: string;
  book: Book;
}

describe('however often workers, processes of the service and PostgreSQL are killed', () => {
  const trials: Trial[] = [
    { ordered: false, name: 'in any order', book: new Book() },
    { ordered: true, name: 'ordered', book: new Book() },
  ];
  let service: TestService;
  let globex: TestBusiness;
  const consumerOf = ({ ordered }: Trial) => new ConsumerClient(globex.api, ordered ? 'ordered' : 'plain');

  /** When one of its processes is killed, PostgreSQL ends all connections and recovers from its log. */
  async function killPostgres(): Promise<void> {
    const [backend] = await service.sql<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'waybill' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`,
    );
    if (backend) process.kill(backend.pid, 'SIGKILL');
  }

  async function sendUntil(acme: TestBusiness, isOver: () => boolean): Promise<void> {
    let last: string | undefined;
    for (let n = 0; !isOver(); n++, await sleep(randomInt(20))) {
      const place = last !== undefined && n % 3 > 0 ? { in_reply_to: last } : { to: 'globex' };
      const { status, body } = await acme.api.send({ ...place, json: n }).catch(() => ({ status: 0, body: undefined }));
      if (status !== 201) continue;
      last = body.id;
      for (const { book } of trials) book.sent.add(body.id);
    }
  }

  beforeAll(async () => {
    service = await startTestService({ DATABASE_URL: await postgres.createDatabase() });
    const acme = await service.business('acme');
    globex = await service.business('globex');
    for (const trial of trials) expect((await consumerOf(trial).put({ ordered: trial.ordered, max_tries: 100 })).status).toBe(201);
    const settings = { DATABASE_URL: service.databaseUrl, RATE_LIMIT_PER_MINUTE: '0' };
    const start = async (port: number) => startProcess({ env: { ...settings, PORT: String(port) }, args: ['--role', 'api'] });
    const ports = [await freePort(), await freePort()];
    const victims: ServiceProcess[] = await Promise.all(ports.map(start));
    let [isSending, isOver] = [true, false];
    const api = (n: number) => new Api(victims[n % victims.length]?.url ?? '', globex.secret);
    const workers = trials.flatMap((trial) =>
      Array.from({ length: WORKERS }, (_, n) =>
        work(
          trial,
          (holder) => consumerOf(trial).as(holder, api(n)),
          n,
          () => isOver,
        ),
      ),
    );
    const sending = [sendUntil(acme, () => !isSending), sendUntil(acme, () => !isSending)];
    for (let kills = 0; kills < KILLS; kills++) {
      const enough = trials.map(({ book }) => book.leases + 10 + randomInt(30));
      await until(() => trials.every(({ book }, i) => book.leases >= (enough[i] ?? 0)));
      const n = kills % victims.length;
      if (kills % 2 === 1) await killPostgres();
      else {
        await victims[n]?.stop('SIGKILL');
        victims[n] = await start(ports[n] ?? 0);
      }
    }
    isSending = false;
    await Promise.all(sending);
    await until(() => trials.every(({ book }) => book.isDone));
    isOver = true;
    await Promise.all(workers);
    return async () => {
      await Promise.all(victims.map((victim) => victim.stop('SIGKILL')));
      await service.stop();
    };
  });

  test.each(trials)('$name: there was load, and workers were cut off in the middle', ({ book }) => {
    expect(book.sent.size).toBeGreaterThan(20);
    expect(book.cutOff).toBeGreaterThan(0);
    expect(book.leases).toBeGreaterThan(book.sent.size);
  });

  test.each(trials)('$name: no message has two holders, is acknowledged twice, or comes again after that', ({ book }) => {
    expect(book.faults).toEqual([]);
  });

  test.each(trials)('$name: every message is acknowledged or seen again, and none skipped', async (trial) => {
    const { book } = trial;
    const last = consumerOf(trial).as('last');
    // Messages that were acknowledged without a response are gone, or are leased once more now.
    const rest: string[] = [];
    await until(async () => {
      for (const { message } of await last.lease({ limit: 100, lease_s: 600, wait_s: 1 })) {
        book.take('last', { message, lease_until: new Date().toISOString() }, false);
        rest.push(message.id);
        expect((await last.do('ack', [message.id])).acknowledged).toBe(1);
      }
      const { lag, oldest_unacknowledged_at } = await last.get();
      return lag === 0 && oldest_unacknowledged_at === null;
    });
    expect(book.faults).toEqual([]);
    const seen = new Set([...book.acknowledged, ...book.uncertain.keys(), ...rest]);
    expect([...book.sent].filter((id) => !seen.has(id))).toEqual([]);
    expect(rest.filter((id) => !book.uncertain.has(id) && book.sent.has(id))).toEqual([]);
    const [row] = await service.sql(
      'SELECT c.kept, (SELECT count(*)::integer FROM consumer_messages m WHERE m.consumer_id = c.id) AS rows FROM consumers c WHERE is_ordered = $1',
      [trial.ordered],
    );
    expect(row).toEqual({ kept: 0, rows: 0 });
  });
});
