import { createHash } from 'node:crypto';
import type { Spend } from '../../contract/cost.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { firstUuidAt, parseId, timeOfUuid } from '../../contract/ids.ts';
import { PAGE_DEFAULT_ITEMS, WEBHOOK_ATTEMPTS_SHOWN_MAX, WEBHOOK_LOG_SCANNED_MAX } from '../../contract/limits.ts';
import type { Business } from '../../contract/parties.ts';
import { POSITIONS_PER_MS } from '../../contract/positions.ts';
import { parseTime } from '../../contract/time.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { outlinesOf } from '../messages/outlines.ts';
import type { WebhookKey } from './attempt-store.ts';
import { type BodyServices, bodiesOf } from './bodies.ts';
import * as store from './delivery-store.ts';
import { findExchanges, type KeptExchange } from './exchange-store.ts';
import { getWebhook, type LogEntry, type PageQuery, type Webhook, type WebhookServices } from './webhooks.ts';

export { DELIVERY_STATES } from './delivery-store.ts';

/** An attempt can be queued a day before it is made, and then wait for its turn at a slow receiver. */
const QUEUED_FOR_MAX_MS = 48 * 3_600_000;
/** A first attempt is queued in the transaction that gives the message its position, soon after. */
const FIRST_WITHIN_MS = 60_000;
const END_OF_TIME = 2 ** 48 - 1;

interface DeliveriesQuery extends PageQuery {
  state?: store.DeliveryState;
  message?: string;
  since?: string;
  until?: string;
}

export interface Delivery {
  webhook: Webhook;
  attempts: (LogEntry & { exchange: KeptExchange | undefined; isBodyAsSent: boolean | null })[];
  latest: LogEntry;
  /** Rebuilt from the message. Undefined: the message is gone. */
  body: string | undefined;
}

/** `spend` charges for entries of the log that are read in vain. */
export async function listDeliveries(services: WebhookServices, business: Business, id: string, query: DeliveriesQuery, spend: Spend) {
  const { limit = PAGE_DEFAULT_ITEMS, cursor, state, message, since, until } = query;
  const webhook = await getWebhook(services, business, id);
  const key = { partyId: business.id, webhookId: webhook.id };
  const [sinceMs, untilMs] = [timeOf('since', since), timeOf('until', until)];
  const filters = { state, since: dateOf(sinceMs), until: dateOf(untilMs) };
  const scope = ['deliveries by message', business.id.toString(), webhook.id, state, message, sinceMs, untilMs];
  const below = services.cursors.open(scope, cursor);
  const database = services.database.of(business.id);
  if (message !== undefined) {
    const items = await withMessages(database, key, await ofMessage(database, key, message, filters, spend));
    return { webhook, items, nextCursor: null };
  }

  const range = {
    from: firstUuidAt(sinceMs === undefined ? 0 : sinceMs - QUEUED_FOR_MAX_MS),
    to: below ?? firstUuidAt(untilMs ?? END_OF_TIME),
  };
  const bounds = { scannedMax: WEBHOOK_LOG_SCANNED_MAX, limit: limit + 1 };
  const { fitting, scanned, endedAt } = await store.scanDeliveries(database, key, range, filters, bounds);
  const items = fitting.slice(0, limit);
  spend({ rows: scanned - items.length });
  // A page ends where the scan ended, even if it is short.
  const end = fitting.length > limit ? items.at(-1)?.id : endedAt;
  const nextCursor = end === undefined ? null : services.cursors.issue(scope, end);
  return { webhook, items: await withMessages(database, key, items), nextCursor };
}

/** Adds the outline of each entry's message. Undefined for a test, and where there is no message. */
async function withMessages(database: Database, { partyId }: WebhookKey, items: readonly LogEntry[]) {
  const idOf = ({ messageId, subjectId }: LogEntry) => subjectId ?? messageId;
  const outlines = await outlinesOf(database, partyId, items.map(idOf));
  return items.map((entry) => ({ entry, message: outlines.get(idOf(entry)) }));
}

async function ofMessage(
  database: Database,
  key: WebhookKey,
  message: string,
  filters: store.DeliveryFilters,
  spend: Spend,
): Promise<LogEntry[]> {
  const messageId = parseId('msg', message) ?? parseId('evt', message);
  const attempts = messageId === undefined ? [] : await attemptsOf(database, key, messageId, spend);
  const latest = latestOf(attempts);
  if (latest === undefined || (filters.state !== undefined && latest.status !== filters.state)) return [];
  const at = latest.attemptedAt ?? latest.createdAt;
  return (filters.since && at < filters.since) || (filters.until && at >= filters.until) ? [] : [latest];
}

/** The id is that of the message or event, or of one of the attempts. `spend` charges for entries of the log that are read in vain. */
export async function getDelivery(
  services: WebhookServices & BodyServices,
  business: Business,
  webhookId: string,
  id: string,
  spend: Spend,
): Promise<Delivery> {
  const webhook = await getWebhook(services, business, webhookId);
  const key = { partyId: business.id, webhookId: webhook.id };
  const database = services.database.of(business.id);
  const attemptId = parseId('dlv', id);
  const named = attemptId === undefined ? undefined : ((await store.findAttempt(database, key, attemptId)) ?? noSuchDelivery());
  const messageId = named?.messageId ?? parseId('msg', id) ?? parseId('evt', id) ?? noSuchDelivery();
  const attempts = await attemptsOf(database, key, messageId, spend, named);
  const latest = latestOf(attempts) ?? noSuchDelivery();
  const exchanges = await findExchanges(
    database,
    key,
    attempts.map(({ id }) => id),
  );
  const { event, subjectId, createdAt } = latest;
  const [body] = await bodiesOf([{ lane: key, messageId, event, subjectId, createdMs: createdAt.getTime() }], services);
  const sha256 = body && createHash('sha256').update(body).digest();
  const shown = attempts.map((attempt) => {
    const exchange = exchanges.get(attempt.id);
    return { ...attempt, exchange, isBodyAsSent: exchange && sha256 ? exchange.bodySha256.equals(sha256) : null };
  });
  return { webhook, attempts: shown, latest, body: body?.toString() };
}

async function attemptsOf(database: Database, key: WebhookKey, messageId: string, spend: Spend, named?: LogEntry): Promise<LogEntry[]> {
  const further = await store.furtherAttempts(database, key, messageId, WEBHOOK_ATTEMPTS_SHOWN_MAX);
  const isFirst = named !== undefined && named.attempt === 1 && named.event !== 'message.replay';
  const first = isFirst ? named : await firstOf(database, key, messageId, spend);
  const isListed = named === undefined || isFirst || further.some(({ id }) => id === named.id);
  const all = [...further, ...(first ? [first] : []), ...(isListed ? [] : [named])];
  return all.sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** No index leads from a message to its first attempt, because deliveries would pay for it. The time of the message finds it. */
async function firstOf(database: Database, key: WebhookKey, messageId: string, spend: Spend): Promise<LogEntry | undefined> {
  const position = await store.positionOf(database, key.partyId, messageId);
  // The message of a test is in no ledger, and its time comes from the clock of a process.
  const fromMs = position === undefined ? timeOfUuid(messageId) - FIRST_WITHIN_MS : Number(position / POSITIONS_PER_MS);
  const range = { from: firstUuidAt(fromMs), to: firstUuidAt(fromMs + 2 * FIRST_WITHIN_MS) };
  const { first, scanned } = await store.firstAttempt(database, key, messageId, range, 10 * WEBHOOK_LOG_SCANNED_MAX);
  spend({ rows: scanned });
  return first;
}

/** A pending retry says no more than the failure before it, unless that is no longer in the log. */
function latestOf(attempts: readonly LogEntry[]): LogEntry | undefined {
  return attempts.find(({ status, attempt }) => status !== 'pending' || attempt === 1) ?? attempts[0];
}

function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseTime(text);
  if (ms === undefined)
    throw invalid([{ path: `/${name}`, message: 'must be an ISO 8601 time such as 2026-01-31T12:00:00Z (write + as %2B in a URL)' }]);
  return ms;
}

function dateOf(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}

function noSuchDelivery(): never {
  throw new Refusal('not_found', 'The webhook has no delivery of this message.');
}
