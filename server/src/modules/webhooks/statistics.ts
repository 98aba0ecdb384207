import type { Spend } from '../../contract/cost.ts';
import { Refusal } from '../../contract/errors.ts';
import type { Business } from '../../contract/parties.ts';
import { SlowList } from '../../platform/fairness/slow-list.ts';
import { TooMuchWaiting, Turns, WaitedTooLong } from '../../platform/fairness/turns.ts';
import { type Database, isTimeout } from '../../platform/postgres/postgres.ts';
import { attemptsByBucket, limitStatements, type Period, type Statistics } from './statistics-store.ts';
import { getWebhook, type Webhook, type WebhookServices } from './webhooks.ts';

export type { Counted } from './statistics-store.ts';

export const periods = {
  '24h': { bucket: '1 hour', buckets: 24 },
  '7d': { bucket: '6 hours', buckets: 28 },
  '30d': { bucket: '1 day', buckets: 30 },
} as const satisfies Record<string, Period>;
type PeriodName = keyof typeof periods;

/** The limit for one webhook and period. The newest attempts are counted. */
export const ATTEMPTS_COUNTED_MAX = 1_000_000;
/** An attempt can be delayed by a day, and then wait for its turn at a slow receiver. */
const QUEUED_FOR_MAX_H = 48;
const PATIENCE_MS = 5_000;
/** Counting a usual log takes far less. A business that exceeds this is counted separately for a while. */
const USUAL_MAX_MS = 500;
const SLOW_FOR_MS = 10_000;
const SLOW_FOR_MAX_MS = 600_000;
const WAIT_MAX_MS = 30_000;
const WAITING_PER_BUSINESS_MAX = 8;
const WAITING_RETRY_S = 1;
const SLOW_RETRY_S = 60;
/** A slow result is cached longer, so that at most a tenth of the time goes into counting. */
const KEPT_FOR_TIMES_AS_LONG = 10;

/**
 * Counts delivery logs on request, because counters that are kept up to date would slow down deliveries. A long count keeps the database
 * busy. So each process counts one slow log at a time, and one of all others, which need not wait for the slow ones.
 */
export class WebhookStatistics {
  readonly #database: Database;
  readonly #turns = new Turns({ waitingMax: WAITING_PER_BUSINESS_MAX, patienceMs: WAIT_MAX_MS });
  readonly #turnsOfSlow = new Turns({ waitingMax: WAITING_PER_BUSINESS_MAX, patienceMs: WAIT_MAX_MS });
  readonly #slow = new SlowList(SLOW_FOR_MS, SLOW_FOR_MAX_MS);
  readonly #kept = new Map<string, Promise<Statistics>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** `spend` charges for the attempts that are counted. A cached result costs nothing, nor does one that another request is counting. */
  async of(partyId: bigint, webhookId: string, period: PeriodName, spend: Spend): Promise<Statistics> {
    const name = `${partyId} ${webhookId} ${period}`;
    const count = async (patienceMs: number) => {
      const counted = await this.#count(name, { partyId, webhookId, period }, patienceMs);
      spend({ rows: counted.read });
      return counted;
    };
    const asked = this.#kept.get(name) ?? this.#inTurn(String(partyId), count);
    this.#kept.set(name, asked);
    try {
      return await asked;
    } catch (error) {
      this.#kept.delete(name);
      if (isTimeout(error) || error instanceof WaitedTooLong)
        throw new Refusal('unavailable', 'The statistics took too long. Try again later.', { retryAfterS: SLOW_RETRY_S });
      if (error instanceof TooMuchWaiting)
        throw new Refusal('rate_limited', 'Too many statistics of your business are requested at once. Try again later.', {
          retryAfterS: WAITING_RETRY_S,
        });
      throw error;
    }
  }

  async #inTurn(who: string, count: (patienceMs: number) => Promise<Statistics>): Promise<Statistics> {
    // The check is repeated when the turn comes: another count may have been slow meanwhile.
    const countUsual = async () => (this.#slow.has(who) ? undefined : count(USUAL_MAX_MS));
    try {
      const counted = await this.#turns.take(who, countUsual);
      if (counted) return counted;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      this.#slow.note(who);
    }
    return this.#turnsOfSlow.take(who, () => count(PATIENCE_MS));
  }

  async #count(
    name: string,
    { partyId, webhookId, period }: { partyId: bigint; webhookId: string; period: PeriodName },
    patienceMs: number,
  ): Promise<Statistics> {
    const startedAt = performance.now();
    const counted = await this.#database.of(partyId).transaction(async (tx) => {
      await limitStatements(tx, patienceMs);
      const bounds = { attemptsMax: ATTEMPTS_COUNTED_MAX, queuedForMaxH: QUEUED_FOR_MAX_H };
      return attemptsByBucket(tx, partyId, webhookId, periods[period], bounds);
    });
    setTimeout(() => this.#kept.delete(name), KEPT_FOR_TIMES_AS_LONG * (performance.now() - startedAt)).unref();
    return counted;
  }
}

export async function readStatistics(
  services: WebhookServices & { webhookStatistics: WebhookStatistics },
  business: Business,
  id: string,
  period: PeriodName,
  spend: Spend,
): Promise<{ webhook: Webhook; statistics: Statistics }> {
  const webhook = await getWebhook(services, business, id);
  return { webhook, statistics: await services.webhookStatistics.of(business.id, webhook.id, period, spend) };
}
