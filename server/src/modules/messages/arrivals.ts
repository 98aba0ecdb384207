import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { Refusal } from '../../contract/errors.ts';
import { EVENT_STREAM_MAX_MS, EVENT_STREAMS_MAX, EVENT_STREAMS_PER_BUSINESS_MAX } from '../../contract/limits.ts';
import { type Database, isUnavailable } from '../../platform/postgres.ts';
import { findGrown, headOf } from './arrival-store.ts';
import { EventStream } from './event-stream.ts';

const LOOK_EVERY_MS = 500;
/** Well below the time after which a silent connection is cut, by us or by a proxy in between. */
const BEAT_AFTER_MS = 25_000;
const FULL_RETRY_S = 30;

interface Watched {
  /** How far the ledger had grown when it was last looked at. */
  seen: bigint;
  streams: Set<EventStream>;
}

/**
 * Tells clients that their ledger has something new. Deliveries do nothing for it: while anybody listens, each process looks at
 * the heads of the ledgers that are watched in it, all of them at once.
 */
export class Arrivals {
  readonly #database: Database;
  readonly #log: Logger;
  readonly #watched = new Map<bigint, Watched>();
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(database: Database, registry: Registry, log: Logger) {
    this.#database = database;
    this.#log = log;
    const count = () => this.#count();
    new Gauge({
      name: 'waybill_event_streams',
      help: 'Clients that listen for new messages.',
      registers: [registry],
      collect() {
        this.set(count());
      },
    });
  }

  /** A stream of events about one party's ledger, of everything that is committed from now on. */
  async watch(partyId: bigint): Promise<Readable> {
    const head = await headOf(this.#database, partyId);
    const watched = this.#watched.get(partyId) ?? { seen: head, streams: new Set() };
    if (watched.streams.size >= EVENT_STREAMS_PER_BUSINESS_MAX)
      throw full(`This business has ${EVENT_STREAMS_PER_BUSINESS_MAX} streams open`);
    if (this.#count() >= EVENT_STREAMS_MAX) throw full('Too many streams are open');
    const stream = new EventStream();
    if (this.#isStopped) {
      stream.finish();
      return stream;
    }
    this.#watched.set(partyId, watched);
    watched.streams.add(stream);
    stream.once('close', () => this.#forget(partyId, stream));
    this.#timer ??= setInterval(() => this.#tick(), LOOK_EVERY_MS);
    return stream;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const [partyId, { streams }] of this.#watched) for (const stream of streams) this.#finish(partyId, stream);
    await this.#looking;
  }

  #count(): number {
    let count = 0;
    for (const { streams } of this.#watched.values()) count += streams.size;
    return count;
  }

  #tick(): void {
    const now = performance.now();
    for (const [partyId, { streams }] of this.#watched)
      for (const stream of streams) {
        // Keys and sessions are judged only when a stream is opened, so none is open for long.
        if (now - stream.openedAt >= EVENT_STREAM_MAX_MS) this.#finish(partyId, stream);
        else stream.beat(now, BEAT_AFTER_MS);
      }
    // A database that is slow or away is not asked by one look on top of the other.
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  async #look(): Promise<void> {
    try {
      const seen = [...this.#watched].map(([partyId, { seen }]) => ({ partyId, seen }));
      for (const { partyId, head, ...news } of await findGrown(this.#database, seen)) {
        const watched = this.#watched.get(partyId);
        if (watched === undefined || watched.seen >= head) continue;
        watched.seen = head;
        if (news.inbox || news.outbox) for (const stream of watched.streams) stream.tell(news);
      }
    } catch (error) {
      // Nothing is missed meanwhile: the next look begins where the last one that succeeded ended.
      if (!isUnavailable(error)) this.#log.error(error, 'could not look for new messages');
    }
  }

  #finish(partyId: bigint, stream: EventStream): void {
    stream.finish();
    this.#forget(partyId, stream);
  }

  #forget(partyId: bigint, stream: EventStream): void {
    const watched = this.#watched.get(partyId);
    if (!watched?.streams.delete(stream) || watched.streams.size > 0) return;
    this.#watched.delete(partyId);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function full(reason: string): Refusal {
  return new Refusal('rate_limited', `${reason}. Close one, or try again in ${FULL_RETRY_S} s.`, { retryAfterS: FULL_RETRY_S });
}
