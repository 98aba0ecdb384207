import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { Refusal } from '../../contract/errors.ts';
import { LEASE_WAITS_FEW, LEASE_WAITS_KEPT_BACK, LEASE_WAITS_MAX, LEASE_WAITS_PER_BUSINESS_MAX } from '../../contract/limits.ts';
import { topicOf } from '../../contract/positions.ts';
import { NoneLeft, Shares } from '../../platform/fairness/shares.ts';
import { TooMuchWaiting, Turns } from '../../platform/fairness/turns.ts';
import { Periodic } from '../../platform/jobs/periodic.ts';
import type { ChangeFeed } from '../../platform/postgres/change-feed.ts';
import { type Database, isUnavailable, type Queryable } from '../../platform/postgres/postgres.ts';
import type { Topics } from '../../platform/postgres/topics.ts';
import { LeaseQueue, LOOKS_MAX, type Waiter } from './lease-queue.ts';
import { type ConsumerKey, ENTRIES_AT_ONCE, type Leased, leaseMessages, releaseMessages, type Wanted } from './lease-store.ts';
import { findGrown } from './store.ts';

/** A sweep finds messages that were not announced: another process died before its NOTIFY, or did not know yet that this one waits. */
const SWEEP_MS = 1_000;
/**
 * Statements about one consumer wait for the lock of its row. In this process, they wait without a connection, in two lanes for each
 * business.
 */
const LANES_PER_BUSINESS = 2;
const STATEMENTS_AT_ONCE = 8;
const STATEMENTS_WAITING_MAX = 200;
const PATIENCE_MS = 15_000;
const RETRY_AFTER_S = 5;

const NOTHING: Leased = { messages: [], leaseUntil: new Date(0), hasMore: false, dueInMs: undefined };

interface Awaited {
  seen: bigint;
  queues: Map<string, LeaseQueue>;
}

export class Leases {
  readonly #database: Database;
  readonly #topics: Topics;
  readonly #log: Logger;
  readonly #awaited = new Map<bigint, Awaited>();
  readonly #places = new Shares({ total: LEASE_WAITS_MAX, keptBack: LEASE_WAITS_KEPT_BACK, little: LEASE_WAITS_FEW });
  readonly #turns = new Turns({ waitingMax: STATEMENTS_WAITING_MAX, patienceMs: PATIENCE_MS, atOnce: STATEMENTS_AT_ONCE });
  readonly #sweep: Periodic;
  #changes = 0;

  constructor(database: Database, topics: Topics, feed: ChangeFeed, registry: Registry, log: Logger) {
    this.#database = database;
    this.#topics = topics;
    this.#log = log;
    this.#sweep = new Periodic(SWEEP_MS, () => this.#wakeGrown(), log, 'could not look for messages of consumers');
    // A key may have been revoked: waiting requests end, and are refused when they are repeated.
    feed.onChange('party', (partyId) => {
      this.#changes++;
      this.#endAll(partyId === undefined ? undefined : BigInt(partyId));
    });
    const waiting = () => this.#places.taken;
    new Gauge({
      name: 'waybill_lease_waits',
      help: 'Requests that wait for messages of a consumer.',
      registers: [registry],
      collect() {
        this.set(waiting());
      },
    });
  }

  async run<T>({ partyId, name }: ConsumerKey, work: (db: Queryable) => Promise<T>): Promise<T> {
    try {
      return await this.#turns.take(`${partyId} ${laneOf(name)}`, () => work(this.#database.of(partyId)));
    } catch (error) {
      if (!(error instanceof TooMuchWaiting)) throw error;
      throw new Refusal('rate_limited', 'Too many requests for consumers of your business are waiting already. Try again later.', {
        retryAfterS: RETRY_AFTER_S,
      });
    }
  }

  /**
   * Leases the messages that are there, or else those that come within `waitS`. Returns nothing at the end of that time, or when the client
   * is gone.
   */
  async lease(key: ConsumerKey, wanted: Wanted, waitS: number, gone: AbortSignal): Promise<Leased> {
    const changes = this.#changes;
    const others = this.#awaited.get(key.partyId)?.queues.get(key.name);
    // While other requests wait, no message is there, and the next one is theirs.
    if (others === undefined || waitS === 0) {
      const leased = await this.#leaseNow(key, wanted);
      if (leased.messages.length > 0 && gone.aborted) await this.giveBack(key, wanted, leased);
      if (leased.messages.length > 0 || leased.hasMore || waitS === 0) return leased;
    }
    // A key may have been revoked since the request came.
    return changes === this.#changes ? this.#wait(key, wanted, waitS, gone) : NOTHING;
  }

  /** Undoes a lease whose response the worker never got. If that fails, the lease lapses. */
  async giveBack(key: ConsumerKey, { holder }: Wanted, { messages }: Leased): Promise<void> {
    const ids = messages.map(({ messageId }) => messageId);
    try {
      await this.run(key, (db) => releaseMessages(db, key, holder, ids, { delayS: 0, reason: null, isUndone: true }));
      this.tell(key);
    } catch (error) {
      if (!isUnavailable(error)) this.#log.error(error, 'messages could not be given back');
    }
  }

  tell(key: ConsumerKey): void {
    this.#topics.tell(topicOfConsumer(key));
  }

  async stop(): Promise<void> {
    const stopped = this.#sweep.stop();
    this.#endAll(undefined);
    await stopped;
  }

  async #leaseNow(key: ConsumerKey, wanted: Wanted): Promise<Leased> {
    for (let looks = 1; ; looks++) {
      const leased = await this.#leaseOnce(key, wanted);
      if (!leased.hasMore || looks >= LOOKS_MAX) return leased;
    }
  }

  async #leaseOnce(key: ConsumerKey, wanted: Wanted): Promise<Leased> {
    const leased = await this.run(key, (db) => leaseMessages(db, key, wanted));
    if (!leased) throw new Refusal('not_found', 'The consumer was not found.');
    if (leased.hasMore) wanted.spend({ rows: ENTRIES_AT_ONCE });
    return leased;
  }

  #wait(key: ConsumerKey, wanted: Wanted, waitS: number, gone: AbortSignal): Promise<Leased> {
    const leavePlace = this.#takePlace(key.partyId);
    return new Promise<Leased>((resolve, reject) => {
      const queue = this.#queueOf(key);
      const leave = () => {
        if (!queue.delete(waiter)) return false;
        clearTimeout(timer);
        gone.removeEventListener('abort', giveUp);
        leavePlace();
        if (queue.isEmpty) this.#closeQueue(key, queue);
        return true;
      };
      const waiter: Waiter = {
        wanted,
        looks: 0,
        end: (leased) => {
          const isWaiting = leave();
          if (isWaiting) resolve(leased);
          return isWaiting;
        },
        fail: (error) => {
          if (leave()) reject(error);
        },
      };
      const giveUp = () => waiter.end(NOTHING);
      const timer = setTimeout(giveUp, waitS * 1000);
      gone.addEventListener('abort', giveUp);
      queue.add(waiter);
      if (gone.aborted || this.#sweep.isStopped) giveUp();
    });
  }

  #takePlace(partyId: bigint): () => void {
    try {
      return this.#places.take([{ name: String(partyId), max: LEASE_WAITS_PER_BUSINESS_MAX }]);
    } catch (error) {
      if (!(error instanceof NoneLeft)) throw error;
      const whose = error.holder ? `${LEASE_WAITS_PER_BUSINESS_MAX} leases of your business wait` : 'Too many leases wait';
      throw new Refusal('rate_limited', `${whose} already. Try again in ${RETRY_AFTER_S} s, or without wait_s.`, {
        retryAfterS: RETRY_AFTER_S,
      });
    }
  }

  #queueOf(key: ConsumerKey): LeaseQueue {
    const { partyId, name } = key;
    const awaited = this.#awaited.get(partyId) ?? { seen: 0n, queues: new Map<string, LeaseQueue>() };
    this.#awaited.set(partyId, awaited);
    const known = awaited.queues.get(name);
    if (known) return known;
    const looks = {
      lease: (wanted: Wanted) => this.#leaseOnce(key, wanted),
      giveBack: (wanted: Wanted, leased: Leased) => this.giveBack(key, wanted, leased),
    };
    // The queue listens before its first look, so that nothing comes unnoticed in between.
    const queue = new LeaseQueue(looks, (wake) => {
      const leaves = [topicOf(partyId), topicOfConsumer(key)].map((topic) => this.#topics.await(topic, wake));
      return () => {
        for (const leave of leaves) leave();
      };
    });
    awaited.queues.set(name, queue);
    this.#sweep.start();
    return queue;
  }

  #closeQueue({ partyId, name }: ConsumerKey, queue: LeaseQueue): void {
    queue.close();
    const awaited = this.#awaited.get(partyId);
    if (awaited?.queues.get(name) !== queue) return;
    awaited.queues.delete(name);
    if (awaited.queues.size === 0) this.#awaited.delete(partyId);
    if (this.#awaited.size === 0) this.#sweep.pause();
  }

  #endAll(partyId: bigint | undefined): void {
    for (const [id, { queues }] of this.#awaited)
      if (partyId === undefined || partyId === id) for (const queue of queues.values()) queue.endAll(NOTHING);
  }

  async #wakeGrown(): Promise<void> {
    const seen = [...this.#awaited].map(([partyId, { seen }]) => ({ partyId, seen }));
    for (const { partyId, head } of await this.#database.inShards(seen, findGrown)) {
      const awaited = this.#awaited.get(partyId);
      if (!awaited) continue;
      awaited.seen = head;
      for (const queue of awaited.queues.values()) queue.wake();
    }
  }
}

function topicOfConsumer({ partyId, name }: ConsumerKey): string {
  return `consumer:${partyId}/${name}`;
}

function laneOf(name: string): number {
  let sum = 0;
  for (let i = 0; i < name.length; i++) sum += name.charCodeAt(i);
  return sum % LANES_PER_BUSINESS;
}
