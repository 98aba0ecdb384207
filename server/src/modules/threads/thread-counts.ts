import { Refusal } from '../../contract/errors.ts';
import { THREAD_COUNT_MAX } from '../../contract/limits.ts';
import type { Business, Caller } from '../../contract/parties.ts';
import { TooMuchWaiting, Turns } from '../../platform/fairness/turns.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { type Count, countThreads, type Reader } from './list-store.ts';
import { readerOf } from './list-threads.ts';
import { resolveFilters, type ThreadQuery } from './thread-filters.ts';

export type { Count } from './list-store.ts';

const WAITING_PER_BUSINESS_MAX = 50;
const PATIENCE_MS = 10_000;
const AT_ONCE = 4;

export const BUILT_IN_VIEWS = {
  open: { status: 'open', box: 'in' },
  mine: { status: 'open', assignee: 'me' },
  unassigned: { status: 'open', box: 'in', assignee: 'none' },
  unread: { box: 'in', unread: true },
  failed_schema: { status: 'open', failed_schema: true },
  done: { status: 'done' },
  sent: { box: 'out' },
  all: {},
} as const satisfies Record<string, ThreadQuery>;

export function rowsOf(counts: readonly Count[]): number {
  return counts.reduce((sum, { count, isCapped }) => sum + (isCapped ? THREAD_COUNT_MAX : count), 0);
}

/** Counts threads on request, up to a maximum. Businesses take turns, because one request may need many counts. */
export class ThreadCounts {
  readonly #database: Database;
  readonly #parties: PartyDirectory;
  readonly #turns = new Turns({ waitingMax: WAITING_PER_BUSINESS_MAX, patienceMs: PATIENCE_MS, atOnce: AT_ONCE });

  constructor(database: Database, parties: PartyDirectory) {
    this.#database = database;
    this.#parties = parties;
  }

  async of(caller: Caller, queries: readonly ThreadQuery[]): Promise<Count[]> {
    try {
      return await this.#turns.take(caller.business.id.toString(), async () => {
        const counts: Count[] = [];
        for (const query of queries) counts.push(await this.#count(caller, query));
        return counts;
      });
    } catch (error) {
      if (!(error instanceof TooMuchWaiting)) throw error;
      throw new Refusal('rate_limited', 'Too many counts of your business are requested at once. Try again later.', { retryAfterS: 1 });
    }
  }

  async #count(caller: Caller, query: ThreadQuery): Promise<Count> {
    return this.inRange(caller.business, readerOf(caller), query);
  }

  /** Counts the threads whose last message is in a range of positions. Takes no turn, because chores call it one at a time. */
  async inRange(business: Business, reader: Reader, query: ThreadQuery, range?: { after: bigint; through: bigint }): Promise<Count> {
    const filters = await resolveFilters(this.#parties, business, reader, query);
    if (filters === undefined) return { count: 0, isCapped: false };
    if (range) {
      const { since = 0n, until } = filters;
      filters.since = since > range.after ? since : range.after + 1n;
      filters.until = until !== undefined && until <= range.through ? until : range.through + 1n;
    }
    return countThreads(this.#database.of(business.id), business.id, reader, filters, THREAD_COUNT_MAX);
  }
}
