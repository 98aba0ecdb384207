import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { newUuid } from '../../contract/ids.ts';
import { messageOf } from '../../contract/thrown.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Announcer } from '../../platform/postgres/announcer.ts';
import { type ChangeFeed, changeCached } from '../../platform/postgres/change-feed.ts';
import type { Connection } from '../../platform/postgres/database-hosts.ts';
import { Listener } from '../../platform/postgres/listener.ts';
import { type Database, isUnavailable } from '../../platform/postgres/postgres.ts';
import { attemptMetrics } from './attempt-metrics.ts';
import { AttemptRequest, type Outcome, unsendable } from './attempt-request.ts';
import * as store from './attempt-store.ts';
import { Bag } from './bag.ts';
import { type BodyServices, bodiesOf } from './bodies.ts';
import { ExchangeKeeper } from './exchange-keeper.ts';
import type { Lane, LeasedAttempt } from './lane.ts';
import { Lanes, type OpenedLease, type Reservation } from './lanes.ts';
import { Recorder } from './recorder.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

interface DispatchServices extends BodyServices {
  announcer: Announcer;
  metrics: Registry;
  webhookSecrets: WebhookSecrets;
}

/** An attempt is sent soon after it is leased, ends within ten seconds, and is then recorded. After the lease, another worker repeats it. */
const LEASE_S = 13;
const SWEEP_MS = 1_000;
/** Far enough back for attempts that the previous sweep could not see, but not so far that a backlog is read repeatedly. */
const SWEEP_BACK_S = 5;
const FULL_SWEEP_EVERY = 30;
/** While requests are open, leases and records wait for more to join them: one statement for many costs little more than one for one. */
const GATHER_MS = 2;
const STOP_POLL_MS = 20;

/**
 * Does the I/O of webhook attempts: leases them from the database, sends them, and records their outcomes. lanes.ts decides which ones, and
 * when. Any number of processes may run a dispatcher. New attempts are announced by NOTIFY after the transaction that queues them. A sweep
 * finds retries, the attempts that a process had leased when it died, and those it died before announcing.
 */
export class Dispatcher {
  readonly #services: DispatchServices;
  readonly #outbound: Outbound;
  readonly #log: Logger;
  readonly #listener: Listener;
  readonly #workerId = newUuid();
  readonly #lanes = new Lanes();
  readonly #recorder: Recorder;
  readonly #keeper: ExchangeKeeper;
  readonly #requests = new Bag<AttemptRequest>();
  #lanesToSend: Lane[] = [];
  readonly #tasks = new Set<Promise<void>>();
  #sweepTimer: NodeJS.Timeout | undefined;
  #sweeps = 0;
  #isLeasing = false;
  #isStopped = false;

  constructor(
    services: DispatchServices,
    settings: { outbound: Outbound; failures: store.FailureRules; connection: Connection; feed: ChangeFeed },
    log: Logger,
  ) {
    this.#services = services;
    this.#outbound = settings.outbound;
    this.#keeper = new ExchangeKeeper(settings.outbound);
    this.#log = log;
    this.#recorder = this.#createRecorder(settings.failures);
    this.#listener = new Listener(
      settings.connection,
      {
        channel: store.WEBHOOKS_CHANNEL,
        applicationName: 'waybill webhooks',
        onPayload: (payload) => this.#wake(payload),
        onInterruption: () => this.#track(this.#sweep(true)),
        lossMeans: 'attempts begin late until it is back',
      },
      log,
    );
    settings.feed.onChange('webhook', (webhookId) => {
      if (webhookId === undefined) this.#checkDeletions();
      else this.#cancelDeleted(webhookId);
    });
    settings.feed.onChange('webhook-settings', (webhookId) => {
      if (webhookId !== undefined) this.#applyChange(webhookId);
    });
  }

  async start(): Promise<void> {
    await this.#listener.start();
    this.#sweepTimer = setInterval(() => this.#track(this.#sweep(++this.#sweeps % FULL_SWEEP_EVERY === 0)), SWEEP_MS);
  }

  /** Begins no more requests, waits at most ten seconds for the open ones, and leaves the rest to other workers. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#lanes.close();
    this.#recorder.stop();
    clearInterval(this.#sweepTimer);
    await this.#listener.stop();
    while (this.#tasks.size + this.#lanes.places > 0) await sleep(STOP_POLL_MS);
    await this.#succeeds('leases could not be ended', async () => {
      for (const shard of this.#services.database.shards) this.#announce(await store.endLeasesOf(shard, this.#workerId));
    });
    await this.#outbound.stop();
  }

  #createRecorder(failures: store.FailureRules): Recorder {
    const metrics = attemptMetrics(this.#services.metrics, () => this.#requests.size);
    return new Recorder({
      gather: () => this.#gather(),
      write: (batch) =>
        this.#succeeds('webhook attempts could not be recorded', async () => {
          await this.#services.database.inShards(batch, async (shard, made) => {
            await store.recordAttempts(shard, made, failures);
            return [];
          });
        }),
      onBatch: (batch) => {
        this.#lease();
        metrics.observe(batch);
      },
      onEnd: (batch, isWritten) => {
        if (isWritten) this.#track(this.#keeper.write(this.#services.database, batch));
        const attempts = batch.map(({ attempt }) => attempt);
        if (isWritten) this.#lanes.record(attempts);
        else this.#lanes.abandon(attempts);
        if (isWritten) this.#stopGone(batch);
        // An endpoint that never responded 2xx, and a thread of an ordered one, gets the next attempt only after the one before is
        // recorded.
        for (const { lane, isOrdered } of attempts) if (isOrdered) this.#lanes.wake(lane);
        if (batch.some(({ isProven, isOrdered }) => !isProven || isOrdered)) this.#lease();
      },
    });
  }

  async #gather(): Promise<void> {
    if (this.#requests.size > 0) await sleep(GATHER_MS);
  }

  /** The payload of a NOTIFY names webhooks as `party:webhook`. An empty payload stands for any number of webhooks. */
  #wake(payload: string): void {
    if (payload === '') this.#track(this.#sweep(true));
    for (const name of payload === '' ? [] : payload.split(',')) {
      const colon = name.indexOf(':');
      this.#lanes.wake({ partyId: BigInt(name.slice(0, colon)), webhookId: name.slice(colon + 1) });
    }
    this.#lease();
  }

  async #sweep(isFull: boolean): Promise<void> {
    if (this.#isStopped) return;
    await Promise.all(this.#services.database.shards.map((shard) => this.#sweepShard(shard, isFull)));
  }

  async #sweepShard(shard: Database, isFull: boolean): Promise<void> {
    await this.#succeeds('due webhook attempts could not be found', async () => {
      this.#announce(await store.endLapsedLeases(shard));
      const due = await (isFull ? store.webhooksWithPending(shard) : store.webhooksLatelyDue(shard, SWEEP_BACK_S));
      for (const webhook of due) this.#lanes.wake(webhook);
      this.#lease();
    });
  }

  #announce(webhooks: readonly store.WebhookKey[]): void {
    if (webhooks.length > 0) this.#services.announcer.announce(store.WEBHOOKS_CHANNEL, webhooks.map(store.nameOf).join());
  }

  #lease(): void {
    if (!this.#isLeasing) this.#track(this.#leaseAll());
  }

  async #leaseAll(): Promise<void> {
    this.#isLeasing = true;
    try {
      for (;;) {
        await this.#gather();
        const reservations = this.#lanes.reserve(performance.now());
        if (reservations.length === 0) break;
        await this.#leaseFor(reservations);
      }
    } catch (error) {
      // The next sweep tries again.
      this.#complain(error, 'webhook attempts could not be leased');
    } finally {
      this.#isLeasing = false;
    }
  }

  async #leaseFor(reservations: readonly Reservation[]): Promise<void> {
    const wanted = reservations.map(({ lane: { partyId, webhookId, leased }, places }) => ({
      partyId,
      webhookId,
      room: places,
      held: leased,
    }));
    let found: Map<string, store.LeasedAttempts>;
    try {
      found = new Map(
        await this.#services.database.inShards(wanted, (shard, mine) => store.leaseAttempts(shard, this.#workerId, mine, LEASE_S)),
      );
    } catch (error) {
      for (const reservation of reservations) this.#lanes.release(reservation);
      throw error;
    }
    const attempts = reservations.flatMap((reservation) => this.#lanes.fill(reservation, this.#opened(reservation, found)));
    if (attempts.length > 0) this.#track(this.#prepare(attempts));
    for (const { retryMs } of found.values()) if (retryMs !== undefined) this.#leaseIn(retryMs);
  }

  /** Returns undefined also if a secret can't be read: its attempts wait for a worker that has the key. */
  #opened({ lane: { webhookId } }: Reservation, found: ReadonlyMap<string, store.LeasedAttempts>): OpenedLease | undefined {
    const leased = found.get(webhookId);
    try {
      return leased && { ...leased, ...this.#services.webhookSecrets.open(webhookId, leased) };
    } catch (error) {
      this.#complain(error, `attempts of the webhook ${webhookId} can't be signed`);
      return undefined;
    }
  }

  #leaseIn(ms: number): void {
    setTimeout(() => this.#lease(), ms).unref();
  }

  async #prepare(attempts: readonly LeasedAttempt[]): Promise<void> {
    let bodies: (Buffer | undefined)[];
    try {
      bodies = await bodiesOf(attempts, this.#services);
    } catch (error) {
      this.#lanes.abandon(attempts);
      this.#complain(error, 'messages for webhooks could not be read');
      return;
    }
    for (const [i, attempt] of attempts.entries()) {
      const body = bodies[i];
      if (body) this.#lanes.prepare(attempt, body);
      else {
        this.#lanes.end(attempt, undefined);
        this.#record(unsendable(attempt, 'the message is no longer there'));
      }
    }
    this.#send(new Set(attempts.map(({ lane }) => lane)));
  }

  /** Signs all requests before it sends any, because that runs faster than signing and sending in turn. */
  #send(lanes: ReadonlySet<Lane>): void {
    const { batch, rest } = this.#lanes.send(lanes, performance.now());
    for (const lane of rest) this.#sendSoon(lane);
    const requests = batch.map((ready) => new AttemptRequest(ready));
    for (const request of requests) {
      this.#requests.add(request);
      request.begin(this.#outbound, this.#keeper, this.#endRequest);
    }
  }

  readonly #endRequest = (request: AttemptRequest, outcome: Outcome | undefined): void => {
    const { attempt } = request;
    this.#requests.delete(request);
    if (outcome) {
      this.#lanes.end(attempt, outcome);
      this.#record(outcome);
    } else this.#lanes.abandon([attempt]);
    this.#sendSoon(attempt.lane);
  };

  /** Sends once for all requests that end in a turn of the event loop. Also, the HTTP client must not be called from its own callbacks. */
  #sendSoon(lane: Lane): void {
    if (this.#lanesToSend.push(lane) > 1) return;
    setImmediate(() => {
      const lanes = new Set(this.#lanesToSend);
      this.#lanesToSend = [];
      this.#send(lanes);
    });
  }

  #record(outcome: Outcome): void {
    const run = this.#recorder.add(outcome);
    if (run) this.#track(run);
  }

  #cancelDeleted(webhookId: string): void {
    this.#lanes.delete(webhookId);
    this.#cancel(({ lane }) => lane.webhookId === webhookId);
  }

  /** Attempts leased with the former settings are given up, and leased again unless the webhook is paused. */
  #applyChange(webhookId: string): void {
    const lane = this.#lanes.change(webhookId, performance.now());
    if (!lane) return;
    this.#sendSoon(lane);
    this.#lease();
  }

  /** A 410 has paused its webhook: no process begins another attempt that it has leased. */
  #stopGone(batch: readonly Outcome[]): void {
    const gone = new Map(batch.filter(({ statusCode }) => statusCode === 410).map(({ webhookId, partyId }) => [webhookId, partyId]));
    const notify = (id: string, partyId: bigint) =>
      changeCached(this.#services.database, partyId, async () => {}, { kind: 'webhook-settings', id });
    for (const [id, of] of gone) this.#track(this.#succeeds('processes could not be notified of a pause', () => notify(id, of)));
  }

  /** The listener may have missed deletions while it had no connection. */
  #checkDeletions(): void {
    this.#lanes.distrustLeases(performance.now());
    const lanes = new Set([...this.#requests].map(({ attempt }) => attempt.lane));
    if (lanes.size === 0) return;
    const check = this.#succeeds('deleted webhooks could not be looked for', async () => {
      const there = new Set(await this.#services.database.inShards([...lanes], store.stillThere));
      this.#cancel(({ lane }) => lanes.has(lane) && !there.has(lane.webhookId));
    });
    this.#track(check);
  }

  #cancel(isDoomed: (attempt: LeasedAttempt) => boolean): void {
    for (const request of [...this.#requests]) if (isDoomed(request.attempt)) request.cancel();
  }

  async #succeeds(failure: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#complain(error, failure);
      return false;
    }
  }

  /** Makes stop() wait for the task. */
  #track(task: Promise<unknown>): void {
    const tracked: Promise<void> = task
      .catch((error) => this.#complain(error, 'a fault in delivering to webhooks'))
      .then(() => {
        this.#tasks.delete(tracked);
      });
    this.#tasks.add(tracked);
  }

  #complain(error: unknown, what: string): void {
    if (this.#isStopped) return;
    if (isUnavailable(error)) this.#log.warn({ reason: messageOf(error) }, what);
    else this.#log.error(error, what);
  }
}
