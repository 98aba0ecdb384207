import { createHash } from 'node:crypto';
import { WEBHOOK_EXCHANGES_BURST, WEBHOOK_EXCHANGES_PER_MINUTE, WEBHOOK_RESPONSE_HEADERS_MAX_CHARS } from '../../contract/limits.ts';
import type { Response } from '../../platform/outbound/exchange.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { WebhookKey } from './attempt-store.ts';
import { type Header, insertExchanges, type KeptExchange } from './exchange-store.ts';

export type { KeptExchange } from './exchange-store.ts';

const WEBHOOKS_MAX = 10_000;
const PER_SECOND = 100;
const HEADERS_MAX = 32;
const HEADER_MAX_CHARS = WEBHOOK_RESPONSE_HEADERS_MAX_CHARS / 4;
const HIDDEN = ['waybill-signature', 'webhook-signature'];
/** All control characters but tabs and line breaks: PostgreSQL stores no U+0000, and terminals obey others. */
const CONTROLS = /[^\P{Cc}\t\n\r]/gu;

class Bucket {
  readonly #most: number;
  readonly #perMs: number;
  #tokens: number;
  #at: number;

  constructor(most: number, perSecond: number, now: number) {
    this.#most = this.#tokens = most;
    this.#perMs = perSecond / 1_000;
    this.#at = now;
  }

  take(now: number): boolean {
    this.#tokens = Math.min(this.#most, this.#tokens + (now - this.#at) * this.#perMs);
    this.#at = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}

/**
 * Decides which attempts keep their request and response, and what is stored of them. A webhook with few messages keeps all. A busy one
 * samples, because keeping each would cost more than delivering it.
 */
export class ExchangeKeeper {
  readonly #outbound: Outbound;
  readonly #all = new Bucket(PER_SECOND, PER_SECOND, 0);
  readonly #successes = new Map<string, Bucket>();
  readonly #failures = new Map<string, Bucket>();

  constructor(outbound: Outbound) {
    this.#outbound = outbound;
  }

  /** Takes a token if there is one. Successes and failures have separate buckets, so that successes don't crowd failures out. */
  hasRoomFor(webhookId: string, succeeded: boolean): boolean {
    const now = performance.now();
    const buckets = succeeded ? this.#successes : this.#failures;
    let bucket = buckets.get(webhookId);
    if (bucket === undefined) {
      if (buckets.size >= WEBHOOKS_MAX) buckets.clear();
      bucket = new Bucket(WEBHOOK_EXCHANGES_BURST, WEBHOOK_EXCHANGES_PER_MINUTE / 60, now);
      buckets.set(webhookId, bucket);
    }
    return bucket.take(now) && this.#all.take(now);
  }

  /** A private host's response is not kept: a tenant could read the operator's network with it. */
  exchangeOf(request: { url: string; headers: Header[]; body: Buffer }, response: Response | Error): KeptExchange {
    const { url, headers, body } = request;
    const sent = { url, requestHeaders: headers, bodySha256: createHash('sha256').update(body).digest() };
    if (response instanceof Error || this.#outbound.isPrivate(url))
      return { ...sent, responseHeaders: null, responseBody: null, isTruncated: false };
    const { headers: received, start, isLonger } = response;
    // A character that is cut off at the end is left out.
    const text = new TextDecoder().decode(start, { stream: isLonger });
    return { ...sent, responseHeaders: receivedHeaders(received), responseBody: harmless(text), isTruncated: isLonger };
  }

  /** Runs after the outcomes are recorded, which must not wait for it. A crash here loses only a detail of the log. */
  async write(database: Database, ended: readonly (WebhookKey & { id: string; exchange: KeptExchange | undefined })[]): Promise<void> {
    const kept = ended.flatMap(({ partyId, webhookId, id, exchange }) => (exchange ? [{ partyId, webhookId, id, exchange }] : []));
    if (kept.length === 0) return;
    await database.inShards(kept, async (shard, mine) => {
      await insertExchanges(shard, mine);
      return [];
    });
  }
}

/** Signatures and the business's own header values are secrets, which readers of the log must not see. */
export function shownHeaders(headers: Record<string, string>, own: Record<string, string> | undefined): Header[] {
  return Object.entries(headers).map(([name, value]) => [name, HIDDEN.includes(name) || own?.[name] === value ? null : value]);
}

function receivedHeaders(headers: Response['headers']): Header[] {
  const kept: Header[] = [];
  let room = WEBHOOK_RESPONSE_HEADERS_MAX_CHARS;
  for (const [name, values] of Object.entries(headers))
    for (const value of [values ?? ''].flat()) {
      const header = [harmless(name).slice(0, HEADER_MAX_CHARS), harmless(value).slice(0, HEADER_MAX_CHARS)] as const;
      room -= header[0].length + header[1].length;
      if (room < 0 || kept.length === HEADERS_MAX) return kept;
      kept.push([...header]);
    }
  return kept;
}

function harmless(text: string): string {
  return text.replace(CONTROLS, '\ufffd').toWellFormed();
}
