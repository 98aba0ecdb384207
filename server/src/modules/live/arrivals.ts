import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import { Refusal } from '../../contract/errors.ts';
import {
  EVENT_STREAM_MAX_MS,
  EVENT_STREAMS_FEW,
  EVENT_STREAMS_KEPT_BACK,
  EVENT_STREAMS_MAX,
  EVENT_STREAMS_PER_BUSINESS_MAX,
  EVENT_STREAMS_PER_NETWORK_MAX,
  EVENT_STREAMS_PER_PERSON_MAX,
  IPV6_SITE_FACTOR,
} from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import { networkOf, siteOf } from '../../platform/fairness/network.ts';
import { type Holder, NoneLeft, Shares } from '../../platform/fairness/shares.ts';
import { Periodic } from '../../platform/jobs/periodic.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { type Access, accessOf, findEnded } from '../access/access.ts';
import { threadMarks } from '../threads/thread-marks.ts';
import { findGrown, headOf } from './arrival-store.ts';
import { EventStream } from './event-stream.ts';

const LOOK_EVERY_MS = 500;
/** Well below the time after which the service, or a proxy, closes an idle connection. */
const BEAT_AFTER_MS = 25_000;
const FULL_RETRY_S = 30;

interface Watched {
  seen: bigint;
  mark: string;
  streams: Set<EventStream>;
}

/**
 * Notifies clients of new entries in their ledger, and of changes of their threads. Deliveries cost nothing more: while anybody listens,
 * each process reads the heads of all ledgers that are watched in it with one statement.
 */
export class Arrivals {
  readonly #database: Database;
  readonly #watched = new Map<bigint, Watched>();
  readonly #accesses = new Map<EventStream, Access>();
  readonly #places = new Shares({ total: EVENT_STREAMS_MAX, keptBack: EVENT_STREAMS_KEPT_BACK, little: EVENT_STREAMS_FEW });
  /** A separate timer, so that streams beat while the database is slow. */
  readonly #beats: Periodic;
  readonly #looks: Periodic;

  constructor(database: Database, registry: Registry, log: Logger) {
    this.#database = database;
    this.#beats = new Periodic(LOOK_EVERY_MS, () => this.#beat(), log, 'streams could not be kept alive');
    this.#looks = new Periodic(LOOK_EVERY_MS, () => this.#look(), log, 'could not look for new messages');
    const count = () => this.#accesses.size;
    new Gauge({
      name: 'waybill_event_streams',
      help: 'Clients that listen for new messages.',
      registers: [registry],
      collect() {
        this.set(count());
      },
    });
  }

  async watch(caller: Caller, address: string): Promise<Readable> {
    const partyId = caller.business.id;
    const shard = this.#database.of(partyId);
    const [head, [threads]] = await Promise.all([headOf(shard, partyId), threadMarks(shard, [{ partyId }])]);
    const leavePlace = this.#takePlace(caller, address);
    const stream = new EventStream();
    stream.once('close', leavePlace);
    if (this.#looks.isStopped) {
      stream.finish();
      return stream;
    }
    const watched = this.#watched.get(partyId) ?? { seen: head, mark: threads?.mark ?? '', streams: new Set() };
    this.#watched.set(partyId, watched);
    watched.streams.add(stream);
    this.#accesses.set(stream, accessOf(caller));
    stream.once('close', () => this.#forget(partyId, stream));
    this.#beats.start();
    this.#looks.start();
    return stream;
  }

  #takePlace({ business, by }: Caller, address: string): () => void {
    const opener: Holder =
      by.kind === 'member'
        ? { name: `person ${by.person.id}`, max: EVENT_STREAMS_PER_PERSON_MAX }
        : { name: `network ${networkOf(address)}`, max: EVENT_STREAMS_PER_NETWORK_MAX };
    const site = by.kind === 'member' ? undefined : siteOf(address);
    const ofSite = site === undefined ? [] : [{ name: `network ${site}`, max: EVENT_STREAMS_PER_NETWORK_MAX * IPV6_SITE_FACTOR }];
    const ofBusiness: Holder = { name: `business ${business.id}`, max: EVENT_STREAMS_PER_BUSINESS_MAX };
    try {
      return this.#places.take([ofBusiness, opener, ...ofSite]);
    } catch (error) {
      if (!(error instanceof NoneLeft)) throw error;
      const { holder } = error;
      if (holder === undefined) throw full('Too many streams are open');
      const whose = holder === ofBusiness ? 'This business has' : by.kind === 'member' ? 'You have' : 'Your network has';
      throw full(`${whose} ${holder.max} streams open`);
    }
  }

  async stop(): Promise<void> {
    const stopped = [this.#looks.stop(), this.#beats.stop()];
    for (const [partyId, { streams }] of this.#watched) for (const stream of streams) this.#finish(partyId, stream);
    await Promise.all(stopped);
  }

  #beat(): void {
    const now = performance.now();
    for (const [partyId, { streams }] of this.#watched)
      for (const stream of streams) {
        if (now - stream.openedAt >= EVENT_STREAM_MAX_MS) this.#finish(partyId, stream);
        else stream.beat(now, BEAT_AFTER_MS);
      }
  }

  /** A failure loses nothing: the next look begins where the last successful one ended. */
  async #look(): Promise<void> {
    await this.#endRevoked();
    const seen = [...this.#watched].map(([partyId, { seen }]) => ({ partyId, seen }));
    for (const { partyId, head, ...news } of await this.#database.inShards(seen, findGrown)) {
      const watched = this.#watched.get(partyId);
      if (watched === undefined || watched.seen >= head) continue;
      watched.seen = head;
      if (news.inbox || news.outbox) for (const stream of watched.streams) stream.tell(news);
    }
    for (const { partyId, mark } of await this.#database.inShards(seen, threadMarks)) {
      const watched = this.#watched.get(partyId);
      if (watched === undefined || watched.mark === mark) continue;
      watched.mark = mark;
      for (const stream of watched.streams) stream.tell({ inbox: false, outbox: false, threads: true });
    }
  }

  /** Asks the database, because keys, members and sessions may end in any process. */
  async #endRevoked(): Promise<void> {
    const open = [...this.#accesses];
    for (const i of await findEnded(
      this.#database,
      open.map(([, access]) => access),
    )) {
      const ended = open[i];
      if (ended) this.#finish(ended[1].partyId, ended[0]);
    }
  }

  #finish(partyId: bigint, stream: EventStream): void {
    stream.finish();
    this.#forget(partyId, stream);
  }

  #forget(partyId: bigint, stream: EventStream): void {
    this.#accesses.delete(stream);
    const watched = this.#watched.get(partyId);
    if (!watched?.streams.delete(stream) || watched.streams.size > 0) return;
    this.#watched.delete(partyId);
    if (this.#watched.size > 0) return;
    this.#beats.pause();
    this.#looks.pause();
  }
}

function full(reason: string): Refusal {
  return new Refusal('rate_limited', `${reason}. Close one, or try again in ${FULL_RETRY_S} s.`, { retryAfterS: FULL_RETRY_S });
}
