import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type ChangeFeed, DIRECTORY, type Subject } from '../../platform/change-feed.ts';
import { Listener } from '../../platform/listener.ts';
import type { Outbound } from '../../platform/outbound.ts';
import { isUnavailable } from '../../platform/postgres.ts';
import { type EnvelopeServices, receivedEnvelopes } from '../messages/envelopes.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { Attempt, type Claim, type Outcome, type PreparedAttempt } from './attempt.ts';
import { attemptMetrics } from './attempt-metrics.ts';
import * as store from './attempt-store.ts';
import { Lanes, type Room } from './lanes.ts';
import { sampleEnvelope } from './sample.ts';

export interface DispatchServices extends EnvelopeServices {
  parties: PartyDirectory;
  metrics: Registry;
}

/** A claimed attempt is begun at once, takes ten seconds at most, and is then recorded. One that outlives this is taken over. */
const LEASE_S = 13;
/** What waited longer than this between claim and request is left to whoever comes after the lease. */
const SEND_WITHIN_MS = 2_000;
const SWEEP_MS = 1_000;
/** Far enough back to find what a sweep before could not have seen, not so far that a backlog is read again and again. */
const SWEEP_BACK_S = 5;
const FULL_SWEEP_EVERY = 30;
/** While there is work under way, claims and records wait for company: one statement for many costs little more than for one. */
const GATHER_MS = 2;
const RECORD_MAX = 512;
const RECORD_AGAIN_MS = 250;
/** By then nothing that was taken before is still waiting to be sent. */
const DELETED_KEPT_MS = 60_000;
const STOP_LOOK_MS = 20;

interface Made extends Outcome {
  endedAt: number;
}

/**
 * Makes the attempts that are due. Any number of processes may do so at once: each takes attempts for itself, by lease.
 * The word of new attempts comes from the transaction that queued them; a sweep finds retries, and whatever a process
 * that died has left behind.
 */
export class Dispatcher {
  readonly #services: DispatchServices;
  readonly #outbound: Outbound;
  readonly #retryDelaysS: readonly number[];
  readonly #log: Logger;
  readonly #listener: Listener;
  readonly #lanes = new Lanes<PreparedAttempt>();
  readonly #underWay = new Map<Attempt, store.WebhookKey>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #metrics: ReturnType<typeof attemptMetrics>;
  #made: Made[] = [];
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
    settings.feed.onChange((subject) => this.#changed(subject));
  }

  async start(): Promise<void> {
    await this.#listener.start();
    this.#sweepTimer = setInterval(() => this.#track(this.#sweep(++this.#sweeps % FULL_SWEEP_EVERY === 0)), SWEEP_MS);
  }

  /** Begins nothing more, and waits for what is under way: ten seconds at most. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#sweepTimer);
    await this.#listener.stop();
    while (this.#tasks.size + this.#lanes.taken > 0) await sleep(STOP_LOOK_MS);
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
    const found = new Map<string, number>();
    try {
      const { clockMs, attempts } = await store.claimAttempts(this.#services.database, rooms, LEASE_S);
      for (const { webhookId } of attempts) found.set(webhookId, (found.get(webhookId) ?? 0) + 1);
      for (const room of rooms) this.#lanes.filled(room, found.get(room.webhookId) ?? 0);
      if (attempts.length > 0) this.#track(this.#prepare(attempts, { at, clockMs }));
    } catch (error) {
      for (const room of rooms) this.#lanes.filled(room, undefined);
      throw error;
    }
  }

  async #prepare(claimed: store.ClaimedAttempt[], claim: Claim): Promise<void> {
    try {
      const bodies = await this.#bodiesOf(claimed);
      for (const [i, attempt] of claimed.entries()) {
        const body = bodies[i];
        if (body) this.#lanes.ready({ ...attempt, claim, body });
        // The message is gone; so is what led to it, when the chore that removes such attempts has run.
        else this.#lanes.returned([attempt]);
      }
      for (const attempt of claimed) this.#sendNext(attempt);
    } catch (error) {
      this.#lanes.returned(claimed);
      this.#complain(error, 'messages for webhooks could not be read');
    }
  }

  async #bodiesOf(claimed: store.ClaimedAttempt[]): Promise<(Buffer | undefined)[]> {
    const real = claimed.filter(({ event }) => event === 'message.received');
    const envelopes = new Map((await receivedEnvelopes(this.#services, real)).map((envelope, i) => [real[i], envelope]));
    return Promise.all(
      claimed.map(async (attempt) => {
        const envelope = attempt.event === 'message.test' ? await this.#sampleFor(attempt) : envelopes.get(attempt);
        return envelope === undefined ? undefined : Buffer.from(envelope);
      }),
    );
  }

  async #sampleFor({ partyId, messageId, createdMs }: store.ClaimedAttempt): Promise<string | undefined> {
    const business = await this.#services.parties.byId(partyId);
    return business && sampleEnvelope(messageId, business, createdMs, this.#services.publicUrl);
  }

  #sendNext(webhook: store.WebhookKey): void {
    const prepared = this.#lanes.next(webhook);
    if (prepared) void this.#send(prepared);
  }

  async #send(prepared: PreparedAttempt): Promise<void> {
    const { claim } = prepared;
    let outcome: Outcome | undefined;
    // What was deleted must not be called: whoever deleted it may already have been told so.
    if (claim.at < this.#deafAt || this.#isStopped) await this.#giveBack(prepared);
    else if (performance.now() - claim.at < SEND_WITHIN_MS && !this.#deleted.has(prepared.webhookId)) {
      const attempt = new Attempt(this.#outbound, prepared);
      this.#underWay.set(attempt, prepared);
      outcome = await attempt.outcome();
      this.#underWay.delete(attempt);
    }
    this.#lanes.finished(prepared, outcome && { ...outcome, isAnswered: outcome.statusCode !== null });
    if (outcome) this.#note(outcome);
    this.#sendNext(prepared);
    this.#claim();
  }

  async #giveBack(prepared: PreparedAttempt): Promise<void> {
    try {
      await store.releaseAttempt(this.#services.database, prepared);
      this.#lanes.wake(prepared);
    } catch (error) {
      this.#complain(error, 'a webhook attempt could not be given back');
    }
  }

  /** The log is written together with that of others. */
  #note(outcome: Outcome): void {
    this.#metrics.observe(outcome);
    this.#made.push({ ...outcome, endedAt: performance.now() });
    if (!this.#isRecording) this.#track(this.#record());
  }

  async #record(): Promise<void> {
    this.#isRecording = true;
    while (this.#made.length > 0) {
      if (this.#underWay.size > 0) await sleep(GATHER_MS);
      const batch = this.#made.slice(0, RECORD_MAX);
      const now = performance.now();
      const entries = batch.map((made) => ({ ...made, agoMs: Math.round(now - made.endedAt) + made.responseMs }));
      try {
        await store.recordAttempts(this.#services.database, entries, this.#retryDelaysS);
        this.#made.splice(0, batch.length);
      } catch (error) {
        this.#complain(error, 'webhook attempts could not be written down');
        if (this.#isStopped) break;
        await sleep(RECORD_AGAIN_MS);
      }
    }
    this.#isRecording = false;
  }

  /** The subject of a deletion is the webhook's id. */
  #changed(subject: Subject): void {
    if (subject === DIRECTORY) return;
    if (subject !== undefined) {
      this.#deleted.set(subject, performance.now());
      for (const [attempt, { webhookId }] of this.#underWay) if (webhookId === subject) attempt.breakOff();
    } else {
      this.#deafAt = performance.now();
      if (this.#underWay.size > 0) this.#track(this.#breakOffDeleted());
    }
  }

  async #breakOffDeleted(): Promise<void> {
    const underWay = [...this.#underWay];
    try {
      const there = await store.stillThere(
        this.#services.database,
        underWay.map(([, webhook]) => webhook),
      );
      for (const [attempt, { webhookId }] of underWay) if (!there.has(webhookId)) attempt.breakOff();
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
