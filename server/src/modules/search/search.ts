import { setTimeout as sleep } from 'node:timers/promises';
import type { Spend } from '../../contract/cost.ts';
import type { Cursors } from '../../contract/cursors.ts';
import { Refusal } from '../../contract/errors.ts';
import { formatId } from '../../contract/ids.ts';
import { FIRST_SEARCH_WAIT_MS, PAGE_DEFAULT_ITEMS, SEARCH_SCANNED_MAX, SEARCHES_WAITING_PER_BUSINESS_MAX } from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import { POSITIONS_PER_MS } from '../../contract/positions.ts';
import { SlowList } from '../../platform/fairness/slow-list.ts';
import { TooMuchWaiting, Turns } from '../../platform/fairness/turns.ts';
import { type Database, isTimeout } from '../../platform/postgres/postgres.ts';
import { readerOf } from '../threads/list-threads.ts';
import { parseQuery, type SearchQuery, type Term } from './search-query.ts';
import * as store from './search-store.ts';

export type { Found } from './search-store.ts';

/** This many documents are scanned before the word index is queried: a word that most messages have fills its page here. */
const FIRST_WALK = 500;
/** If the first scan has found this share of a page, more scans fill the page sooner than the word index, which finds all pages at once. */
const WORTH_WALKING = 1 / 8;
/** Up to this many threads of a label or an assignee, the index is queried for their documents. */
const THREADS_MAX = 200;
/** The timeout of the word index. After it, the newest documents are scanned instead. */
const INDEX_PATIENCE_MS = 1_000;
const PATIENCE_MS = 10_000;
const AT_ONCE = 4;
const ASK_EVERY_MS = 100;
const SLOW_FOR_MS = 60_000;
const SLOW_FOR_MAX_MS = 3_600_000;
const POSITION_MAX = 2n ** 63n - 1n;

export interface Results {
  found: store.Found[];
  terms: Term[];
  cursorAfter: (last: store.Found) => string;
  nextCursor: string | null;
  /** All messages of the business could be found. False for a while after its first search. */
  isComplete: boolean;
}

/** Searches documents. Businesses take turns, because a search may read many of them. */
export class Searches {
  readonly #database: Database;
  readonly #cursors: Cursors;
  readonly #turns = new Turns({ waitingMax: SEARCHES_WAITING_PER_BUSINESS_MAX, patienceMs: PATIENCE_MS, atOnce: AT_ONCE });
  readonly #waiting = new Map<string, Promise<boolean>>();
  /** The searches, and the first searches of businesses, for which the index has taken too long. */
  readonly #slow = new SlowList(SLOW_FOR_MS, SLOW_FOR_MAX_MS);

  constructor(database: Database, cursors: Cursors) {
    this.#database = database;
    this.#cursors = cursors;
  }

  /** The newest come first. A page may be short, even empty, and still have a cursor. `spend` charges for documents scanned in vain. */
  async find(
    caller: Caller,
    { q, limit = PAGE_DEFAULT_ITEMS, cursor }: { q: string; limit?: number; cursor?: string },
    spend: Spend,
  ): Promise<Results> {
    const reader = readerOf(caller);
    const scope = ['search', caller.business.id.toString(), reader.id, q];
    const after = placeIn(this.#cursors.open(scope, cursor));
    const query = parseQuery(q, reader.id);
    const cursorAfter = ({ position, id }: store.Place) => this.#cursors.issue(scope, `${position} ${id}`);
    const isComplete = await this.#begin(caller.business.id);
    const result = { terms: query.terms, cursorAfter, isComplete };
    if (query.isEmpty) return { ...result, found: [], nextCursor: null };
    try {
      const search = () => this.#search(caller.business.id, query, conditionsOf(query, reader), after, limit, spend);
      const { rows, end } = await this.#turns.take(caller.business.id.toString(), search);
      return { ...result, found: rows, nextCursor: end === undefined ? null : cursorAfter(end) };
    } catch (error) {
      if (!(error instanceof TooMuchWaiting)) throw error;
      throw new Refusal('rate_limited', 'Too many searches of your business are under way at once. Try again later.', { retryAfterS: 1 });
    }
  }

  /** Returns whether all messages can be found. A first search waits for that, because otherwise it would find nothing. */
  async #begin(partyId: bigint): Promise<boolean> {
    const isComplete = () => store.beginSearch(this.#database.of(partyId), partyId);
    const name = partyId.toString();
    if (await isComplete()) return true;
    if (this.#slow.has(name)) return false;
    // Searches of one business wait together, and without a connection.
    const waiting = this.#waiting.get(name) ?? untilTrue(isComplete, FIRST_SEARCH_WAIT_MS).finally(() => this.#waiting.delete(name));
    this.#waiting.set(name, waiting);
    const isNowComplete = await waiting;
    if (!isNowComplete) this.#slow.note(name);
    return isNowComplete;
  }

  async #search(
    partyId: bigint,
    query: SearchQuery,
    conditions: store.Conditions,
    after: store.Place | undefined,
    limit: number,
    spend: Spend,
  ): Promise<{ rows: store.Found[]; end: store.Place | undefined }> {
    const shard = this.#database.of(partyId);
    const rows: store.Found[] = [];
    let walkedTo = after;
    let asksIndex = true;
    for (let walked = 0; walked < SEARCH_SCANNED_MAX; ) {
      const documents = walked === 0 ? FIRST_WALK : SEARCH_SCANNED_MAX - walked;
      const found = await store.walk(shard, partyId, conditions, walkedTo, documents, limit + 1 - rows.length);
      rows.push(...found.rows);
      if (rows.length > limit) return { rows: rows.slice(0, limit), end: rows[limit - 1] };
      if (found.walkedTo === undefined) return { rows, end: undefined };
      walkedTo = found.walkedTo;
      walked += documents;
      spend({ rows: documents });
      if (!asksIndex || rows.length >= limit * WORTH_WALKING) continue;
      asksIndex = false;
      const more = await this.#askIndex(shard, partyId, query, conditions, walkedTo, limit + 1 - rows.length);
      if (more === undefined) continue;
      rows.push(...more);
      return { rows: rows.slice(0, limit), end: rows.length > limit ? rows[limit - 1] : undefined };
    }
    return { rows, end: walkedTo };
  }

  /** Returns undefined where the index does not help: the query has no words, or the index takes too long. */
  async #askIndex(
    shard: Database,
    partyId: bigint,
    query: SearchQuery,
    conditions: store.Conditions,
    after: store.Place,
    limit: number,
  ): Promise<store.Found[] | undefined> {
    const tsquery = await tsqueryOf(shard, partyId, query);
    const name = `${partyId} ${tsquery}`;
    if (tsquery === '' || this.#slow.has(name)) return undefined;
    const bounds = { limit, patienceMs: INDEX_PATIENCE_MS };
    try {
      return await shard.transaction((tx) => store.findByWords(tx, partyId, tsquery, conditions, after, bounds));
    } catch (error) {
      if (!isTimeout(error)) throw error;
      this.#slow.note(name);
      return undefined;
    }
  }
}

async function untilTrue(ask: () => Promise<boolean>, patienceMs: number): Promise<boolean> {
  const end = performance.now() + patienceMs;
  for (;;) {
    await sleep(ASK_EVERY_MS);
    if (await ask()) return true;
    if (performance.now() >= end) return false;
  }
}

/** The key needs no check, because a cursor is sealed. */
function placeIn(key: string | undefined): store.Place | undefined {
  const [position, id] = key?.split(' ') ?? [];
  return position === undefined || id === undefined ? undefined : { position, id };
}

function conditionsOf(query: SearchQuery, reader: store.Conditions['reader']): store.Conditions {
  const { label, assigneeId, isDone, isUnread, beforeMs, afterMs, state, number, dueRanges, totalRanges } = query;
  const words = query.terms.map((term) => `% ${term.words.map(escapeLike).join(' ')}${term.isPrefix ? '' : ' '}%`);
  const facts = query.facts.map((fact) => `% ${escapeLike(fact)} %`);
  return {
    ...{ label, assigneeId, isDone, isUnread, state, number, dueRanges, totalRanges, reader },
    patterns: [...words, ...facts],
    since: afterMs === undefined ? undefined : positionOf(afterMs),
    until: beforeMs === undefined ? undefined : positionOf(beforeMs),
  };
}

function escapeLike(word: string): string {
  return word.replace(/[\\%_]/g, '\\$&');
}

function positionOf(ms: number): bigint {
  const position = BigInt(ms) * POSITIONS_PER_MS;
  return position > POSITION_MAX ? POSITION_MAX : position;
}

/** The tsquery for the word index, or an empty text when the index can't help. Documents have their thread's id as a word. */
async function tsqueryOf(shard: Database, partyId: bigint, query: SearchQuery): Promise<string> {
  const { terms, facts } = query;
  const lexeme = (word: string) => `'${`${partyId}:${word}`.replace(/['\\]/g, '$&$&')}'`;
  const words = terms.flatMap((term) =>
    term.words.map((word, i) => lexeme(word) + (term.isPrefix && i === term.words.length - 1 ? ':*' : '')),
  );
  const wanted = [...new Set([...words, ...facts.map(lexeme)])];
  const byThread = byThreadOf(query);
  const threads = byThread && (await store.threadsWith(shard, partyId, byThread, THREADS_MAX + 1));
  if (threads && threads.length > 0 && threads.length <= THREADS_MAX)
    wanted.push(`(${threads.map((id) => lexeme(formatId('thr', id).slice('thr_'.length))).join(' | ')})`);
  return wanted.join(' & ');
}

/** What most narrows the threads comes first. */
function byThreadOf({ label, assigneeId, number, state }: SearchQuery) {
  if (number !== undefined) return { number };
  if (label !== undefined) return { label };
  if (assigneeId) return { assigneeId };
  return state === undefined ? undefined : { state };
}
