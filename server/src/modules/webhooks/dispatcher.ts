import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { newUuid } from '../../contract/ids.ts';
import { MB } from '../../contract/limits.ts';
import type { ChangeFeed } from '../../platform/change-feed.ts';
import { Listener } from '../../platform/listener.ts';
import type { Outbound } from '../../platform/outbound.ts';
import { isUnavailable } from '../../platform/postgres.ts';
import { Attempt, type Outcome, unsendable } from './attempt.ts';
import { attemptMetrics } from './attempt-metrics.ts';
import * as store from './attempt-store.ts';
import { Bag } from './bag.ts';
import { type BodyServices, bodiesOf } from './bodies.ts';
import { type Claim, type HeldAttempt, type Lane, Lanes, type PreparedAttempt, type Room } from './lanes.ts';

export interface DispatchServices extends BodyServices {
  metrics: Registry;
}

/** A claimed attempt is begun soon, takes ten seconds at most, and is then recorded. One that outlives this is taken over. */
const LEASE_S = 13;
/** What waited longer than this since its claim was last renewed is not begun: its lease might end before it does. */
const SEND_WITHIN_MS = 2_000;
const SWEEP_MS = 1_000;
/** Far enough back to find what a sweep before could not have seen, not so far that a backlog is read again and again. */
const SWEEP_BACK_S = 5;
const FULL_SWEEP_EVERY = 30;
/** While there is work under way, claims and records wait for company: one statement for many costs little more than for one. */
const GATHER_MS = 2;
/** To sign so many takes a few milliseconds, for which everything else waits. */
const AT_ONCE_BYTES = 2 * MB;
const RECORD_MAX = 512;
const RECORD_AGAIN_MS = 250;
/** By then nothing that was taken before is still waiting to be sent. */
const DELETED_KEPT_MS = 60_000;
const STOP_LOOK_MS = 20;

/**
 * Makes the attempts that are due. Any number of processes may do so at once: each claims attempts for itself, by lease.
 * The word of new attempts comes from the transaction that queued them; a sweep finds retries, and whatever a process
 * that died has left behind.
 */
export class Dispatcher {
  readonly #services: DispatchServices;
  readonly #outbound: Outbound;
  readonly #retryDelaysS: readonly number[];
  readonly #log: Logger;
  readonly #listener: Listener;
  readonly #workerId = newUuid();
  readonly #lanes = new Lanes();
  readonly #underWay = new Bag<Attempt>();
  /** Lanes in which a place became free. */
  #freed: Lane[] = [];
  readonly #tasks = new Set<Promise<void>>();
  readonly #metrics: ReturnType<typeof attemptMetrics>;
  #made: Outcome[] = [];
  #sweepTimer: NodeJS.Timeout | undefined;
  #sweeps = 0;
  #isClaiming = false;
  #isRecording = false;
  #isStopped = false;
  /** Webhooks that were deleted lately, with the time: what had been taken for them is not sent. */
  readonly #deleted = new Map<string, number>();
  /** When anything may have been deleted unheard. */
  #deafAt = Number.NEGATIVE_INFINITY;

  constructor(
    services: DispatchServices,
    settings: { outbound: Outbound; retryDelaysS: readonly number[]; connection: pg.ClientConfig; feed: ChangeFeed },
    log: Logger,
  ) {
    this.#services = services;
    this.#outbound = settings.outbound;
    this.#retryDelaysS = settings.retryDelaysS;
    this.#log = log;
    this.#metrics = attemptMetrics(services.metrics, () => this.#underWay.size);
    this.#listener = new Listener(
      settings.connection,
      {
        channel: store.WEBHOOKS_CHANNEL,
        applicationName: 'waybill webhooks',
        heard: (names) => this.#heard(names),
        interrupted: () => this.#track(this.#sweep(true)),
        lossMeans: 'attempts begin late until it is back',
      },
      log,
    );
    settings.feed.onChange('webhook', (webhookId) => this.#changed(webhookId));
  }

  async start(): Promise<void> {
    await this.#listener.start();
    this.#sweepTimer = setInterval(() => this.#track(this.#sweep(++this.#sweeps % FULL_SWEEP_EVERY === 0)), SWEEP_MS);
  }

  /** Begins nothing more, waits for what is under way (ten seconds at most), and leaves the rest to others. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#sweepTimer);
    await this.#listener.stop();
    while (this.#tasks.size + this.#lanes.taken > 0) await sleep(STOP_LOOK_MS);
    await store.endLeasesOf(this.#services.database, this.#workerId).catch(() => {});
    await this.#outbound.stop();
  }

  #track(task: Promise<void>): void {
    const tracked = task
      .catch((error) => this.#complain(error, 'a fault in delivering to webhooks'))
      .finally(() => this.#tasks.delete(tracked));
    this.#tasks.add(tracked);
  }

  #heard(names: string): void {
    if (names === '') this.#track(this.#sweep(true));
    for (const name of names === '' ? [] : names.split(',')) {
      const colon = name.indexOf(':');
      this.#lanes.wake({ partyId: BigInt(name.slice(0, colon)), webhookId: name.slice(colon + 1) });
    }
    this.#claim();
  }

  async #sweep(isFull: boolean): Promise<void> {
    if (this.#isStopped) return;
    for (const [id, at] of this.#deleted) if (performance.now() - at > DELETED_KEPT_MS) this.#deleted.delete(id);
    try {
      const { database } = this.#services;
      await store.endLapsedLeases(database);
      const due = await (isFull ? store.webhooksWithPending(database) : store.webhooksLatelyDue(database, SWEEP_BACK_S));
      for (const webhook of due) this.#lanes.wake(webhook);
      this.#claim();
    } catch (error) {
      this.#complain(error, 'webhook attempts could not be looked for');
    }
  }

  #claim(): void {
    if (!this.#isClaiming) this.#track(this.#claimAll());
  }

  async #claimAll(): Promise<void> {
    this.#isClaiming = true;
    try {
      for (;;) {
        if (this.#underWay.size > 0) await sleep(GATHER_MS);
        const rooms = this.#isStopped ? [] : this.#lanes.take();
        if (rooms.length === 0) break;
        await this.#claimFor(rooms);
      }
    } catch (error) {
      // The next sweep tries again.
      this.#complain(error, 'webhook attempts could not be taken');
    } finally {
      this.#isClaiming = false;
    }
  }

  async #claimFor(rooms: Room[]): Promise<void> {
    const at = performance.now();
    const wanted = rooms.map(({ lane, room }) => ({ partyId: lane.partyId, webhookId: lane.webhookId, room, held: lane.held }));
    try {
      const claimed = await store.leaseAttempts(this.#services.database, this.#workerId, wanted, LEASE_S);
      const held: HeldAttempt[] = [];
      for (const room of rooms) {
        const found = claimed.get(room.lane.webhookId);
        const taken = found ? heldBy(room.lane, found, at) : [];
        this.#lanes.filled(room, taken);
        held.push(...taken);
      }
      if (held.length > 0) this.#track(this.#prepare(held));
    } catch (error) {
      for (const room of rooms) this.#lanes.filled(room, undefined);
      throw error;
    }
  }

  async #prepare(held: HeldAttempt[]): Promise<void> {
    try {
      const bodies = await bodiesOf(held, this.#services);
      for (const [i, attempt] of held.entries()) {
        const body = bodies[i];
        if (body) this.#lanes.prepared(attempt, body);
        else {
          this.#lanes.over(attempt);
          this.#note(unsendable(attempt, 'the message is no longer there'));
        }
      }
    } catch (error) {
      this.#lanes.givenUp(held);
      this.#complain(error, 'messages for webhooks could not be read');
    }
    this.#sendReady(new Set(held.map((attempt) => attempt.lane)));
  }

  /** All are signed before any is sent: the same steps one after another cost less than each with all the others in between. */
  #sendReady(lanes: ReadonlySet<Lane>): void {
    const attempts: Attempt[] = [];
    const waiting = [...lanes];
    let bytes = 0;
    for (let lane = waiting[0]; lane && bytes < AT_ONCE_BYTES; lane = waiting[0]) {
      const prepared = this.#lanes.next(lane);
      if (!prepared) waiting.shift();
      else if (!this.#maySend(prepared)) this.#lanes.givenUp([prepared.held]);
      else {
        bytes += prepared.body.length;
        this.#lanes.opened(lane);
        attempts.push(new Attempt(prepared));
      }
    }
    // Those that were not reached come first then, and last the one that took so much.
    for (const lane of [...waiting.slice(1), ...waiting.slice(0, 1)]) this.#sendSoon(lane);
    for (const attempt of attempts) {
      this.#underWay.add(attempt);
      attempt.begin(this.#outbound, this.#over);
    }
  }

  /** What was deleted must not be called: whoever deleted it may already have been told so. */
  #maySend({ held: { lane, claim } }: PreparedAttempt): boolean {
    const isInTime = performance.now() - claim.at < SEND_WITHIN_MS && claim.at >= this.#deafAt;
    return isInTime && !this.#isStopped && !this.#deleted.has(lane.webhookId);
  }

  readonly #over = (attempt: Attempt, outcome: Outcome | undefined): void => {
    const { held } = attempt;
    this.#underWay.delete(attempt);
    this.#lanes.closed(held, outcome);
    if (outcome) this.#note(outcome);
    else this.#lanes.recorded([held]);
    this.#sendSoon(held.lane);
  };

  /** With what is over by then. The client must not be called from within itself, either. */
  #sendSoon(lane: Lane): void {
    if (this.#freed.push(lane) > 1) return;
    setImmediate(() => {
      const lanes = new Set(this.#freed);
      this.#freed = [];
      this.#sendReady(lanes);
    });
  }

  /** The log is written together with that of others. */
  #note(outcome: Outcome): void {
    this.#made.push(outcome);
    if (!this.#isRecording) this.#track(this.#record());
  }

  async #record(): Promise<void> {
    this.#isRecording = true;
    while (this.#made.length > 0) {
      if (this.#underWay.size > 0) await sleep(GATHER_MS);
      const batch = this.#made.splice(0, RECORD_MAX);
      this.#claim();
      this.#metrics.observe(batch);
      while (!(await this.#isWritten(batch)) && !this.#isStopped) await sleep(RECORD_AGAIN_MS);
      this.#lanes.recorded(batch.map(({ attempt }) => attempt));
      // Endpoints that never succeeded get their next attempt only now that this one is recorded.
      if (batch.some(({ isProven }) => !isProven)) this.#claim();
    }
    this.#isRecording = false;
  }

  async #isWritten(batch: Outcome[]): Promise<boolean> {
    try {
      await store.recordAttempts(this.#services.database, batch, this.#retryDelaysS);
      return true;
    } catch (error) {
      this.#complain(error, 'webhook attempts could not be written down');
      return false;
    }
  }

  /** A webhook was deleted; undefined when deletions may have gone unheard. */
  #changed(webhookId: string | undefined): void {
    if (webhookId !== undefined) {
      this.#deleted.set(webhookId, performance.now());
      for (const attempt of [...this.#underWay]) if (attempt.held.lane.webhookId === webhookId) attempt.breakOff();
    } else {
      this.#deafAt = performance.now();
      if (this.#underWay.size > 0) this.#track(this.#breakOffDeleted());
    }
  }

  async #breakOffDeleted(): Promise<void> {
    const underWay = [...this.#underWay];
    try {
      const lanes = [...new Set(underWay.map(({ held }) => held.lane))];
      const there = await store.stillThere(this.#services.database, lanes);
      for (const attempt of underWay) if (!there.has(attempt.held.lane.webhookId)) attempt.breakOff();
    } catch (error) {
      this.#complain(error, 'deleted webhooks could not be looked for');
    }
  }

  #complain(error: unknown, what: string): void {
    if (this.#isStopped) return;
    if (isUnavailable(error)) this.#log.warn({ reason: (error as Error).message }, what);
    else this.#log.error(error, what);
  }
}

/**
 * What was found joins what the lane has: the claim on that was renewed along with it, unless it may have ended before. Then
 * others may have made what is left of it, so it keeps its old time, by which it is too late.
 */
function heldBy(lane: Lane, { url, secret, isProven, clockMs, attempts }: store.LeasedAttempts, at: number): HeldAttempt[] {
  lane.isProven = isProven;
  const isRenewed = lane.claim !== undefined && at - lane.claim.at < SEND_WITHIN_MS;
  const claim = Object.assign(isRenewed ? (lane.claim as Claim) : {}, { at, clockMs, url, secret });
  lane.claim = claim;
  return attempts.map((attempt) => ({ ...attempt, lane, claim, bytes: lane.usualBytes }));
}
