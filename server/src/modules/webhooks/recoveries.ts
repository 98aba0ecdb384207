import { pageOf } from '../../contract/cursors.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { newUuid, parseId } from '../../contract/ids.ts';
import { PAGE_DEFAULT_ITEMS } from '../../contract/limits.ts';
import type { Business } from '../../contract/parties.ts';
import { parseTime } from '../../contract/time.ts';
import { admitRecovery } from './recovery-limits.ts';
import * as store from './recovery-store.ts';
import { getWebhook, type PageQuery, refusePaused, refuseUnfinished, type Webhook, type WebhookServices } from './webhooks.ts';

export type { Recovery } from './recovery-store.ts';

export interface RecoveryServices extends WebhookServices {
  config: { webhookLogDays: number };
}

interface RecoveryRequest {
  since: string;
  until?: string;
  only?: store.RecoverySelection;
}

const DAY_MS = 24 * 3_600_000;

/** Only creates the recovery: workers continue it. */
export async function startRecovery(services: RecoveryServices, business: Business, id: string, request: RecoveryRequest) {
  const sinceMs = timeOf('since', request.since);
  const untilMs = request.until === undefined ? undefined : timeOf('until', request.until);
  if (untilMs !== undefined && untilMs <= sinceMs) refuse('until', 'must be after since');
  const { only = 'undelivered' } = request;
  const webhook = await getWebhook(services, business, id);
  if (!webhook.active) return refusePaused();
  if (!webhook.events.includes('message.received'))
    throw new Refusal('conflict', 'The webhook is not told of received messages: add message.received to its events first.');
  if (only !== 'all') refuseBeyondLog(webhook, sinceMs, services.config.webhookLogDays);
  const key = { partyId: business.id, webhookId: webhook.id };
  const recovery = await services.database.of(business.id).transaction(async (tx) => {
    await admitRecovery(tx, key);
    return (await store.insertRecovery(tx, key, { id: newUuid(), only, sinceMs, untilMs })) ?? refuseUnfinished();
  });
  return { webhook, recovery };
}

/** Without the log, nobody knows which messages were delivered. Messages from before the webhook existed were not. */
function refuseBeyondLog({ createdAt }: Webhook, sinceMs: number, logDays: number): void {
  const logFrom = Date.now() - logDays * DAY_MS;
  if (sinceMs < logFrom && createdAt.getTime() < logFrom)
    refuse('since', `must be within ${logDays} days, which the log reaches back; use "only": "all" for earlier messages`);
}

function timeOf(name: string, text: string): number {
  const ms = parseTime(text);
  return ms !== undefined && ms >= 0 ? ms : refuse(name, 'must be an ISO 8601 time since 1970, such as 2026-01-31T12:00:00Z');
}

function refuse(name: string, message: string): never {
  throw invalid([{ path: `/${name}`, message }]);
}

export async function listRecoveries(services: WebhookServices, business: Business, id: string, query: PageQuery) {
  const { limit = PAGE_DEFAULT_ITEMS, cursor } = query;
  const webhook = await getWebhook(services, business, id);
  const scope = ['recoveries', business.id.toString(), webhook.id];
  const below = services.cursors.open(scope, cursor) ?? null;
  const key = { partyId: business.id, webhookId: webhook.id };
  const rows = await store.listRecoveries(services.database.of(business.id), key, below, limit + 1);
  return { webhook, ...pageOf(rows, limit, (recovery) => services.cursors.issue(scope, recovery.id)) };
}

export async function getRecovery(services: WebhookServices, business: Business, id: string, recoveryId: string) {
  const webhook = await getWebhook(services, business, id);
  const uuid = parseId('rcv', recoveryId);
  const key = { partyId: business.id, webhookId: webhook.id };
  const recovery = uuid === undefined ? undefined : await store.findRecovery(services.database.of(business.id), key, uuid);
  if (!recovery) throw new Refusal('not_found', 'The recovery was not found.');
  return { webhook, recovery };
}

/** Once this returns, a paused or cancelled recovery queues nothing more. */
export async function changeRecovery(
  services: WebhookServices,
  business: Business,
  id: string,
  recoveryId: string,
  state: 'running' | 'paused' | 'cancelled',
) {
  const { webhook, recovery } = await getRecovery(services, business, id, recoveryId);
  const key = { partyId: business.id, webhookId: webhook.id };
  const changed = await store.setRecoveryState(services.database.of(business.id), key, recovery.id, state);
  if (changed) return { webhook, recovery: changed };
  const now = await getRecovery(services, business, id, recoveryId);
  if (now.recovery.state !== state) throw new Refusal('conflict', `The recovery is ${now.recovery.state}.`);
  return now;
}
