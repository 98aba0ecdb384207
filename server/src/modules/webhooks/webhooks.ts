import { getDomain } from 'tldts';
import { type Cursors, pageOf } from '../../contract/cursors.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { formatId, newUuid, parseId } from '../../contract/ids.ts';
import { PAGE_DEFAULT_ITEMS, WEBHOOKS_PER_BUSINESS_MAX, WEBHOOKS_PER_HOST_MAX } from '../../contract/limits.ts';
import { asciiLowerCase, parseSegment } from '../../contract/names.ts';
import type { Business } from '../../contract/parties.ts';
import type { Announcer } from '../../platform/announcer.ts';
import { changeCached } from '../../platform/change-feed.ts';
import { ForbiddenDestination, type Outbound } from '../../platform/outbound.ts';
import type { Database, Queryable } from '../../platform/postgres.ts';
import { nameOf, WEBHOOKS_CHANNEL } from './attempt-store.ts';
import { newSecret } from './signature.ts';
import * as store from './store.ts';

export type { LogEntry, Webhook } from './store.ts';

export interface WebhookServices {
  database: Database;
  announcer: Announcer;
  cursors: Cursors;
  outbound: Outbound;
  inboundDomain: string;
}

export interface PageQuery {
  limit?: number;
  cursor?: string;
}

/** Returns the secret, which is shown only once. */
export async function createWebhook(
  { database, outbound, inboundDomain }: WebhookServices,
  business: Business,
  { url, target }: { url: string; target?: string | null },
): Promise<{ webhook: store.Webhook; secret: string }> {
  const segment = target == null ? null : segmentOf(business, inboundDomain, target);
  try {
    await outbound.check(url);
  } catch (error) {
    if (error instanceof ForbiddenDestination) throw new Refusal('invalid_webhook_url', `The URL can't be used: ${error.message}`);
    throw error;
  }
  const secret = newSecret();
  const created = { id: newUuid(), url, target: segment, secret };
  const webhook = await database.of(business.id).transaction(async (tx) => {
    refuseBeyondLimits(await store.lockWebhooks(tx, business.id), created);
    return store.insertWebhook(tx, business.id, created);
  });
  return { webhook, secret };
}

/** One message must not become many at a receiver that may never have agreed to receive any. */
function refuseBeyondLimits(existing: store.Webhook[], { url, target }: { url: string; target: string | null }): void {
  const [endpoint, site] = [endpointOf(url), siteOf(url)];
  const same = existing.find((other) => other.target === target && endpointOf(other.url) === endpoint);
  const receives = target === null ? 'all messages' : `messages to the segment ${target}`;
  if (same) throw new Refusal('conflict', `The webhook ${formatId('wh', same.id)} already posts ${receives} to this URL.`);
  if (existing.length >= WEBHOOKS_PER_BUSINESS_MAX)
    throw new Refusal('conflict', `A business can have ${WEBHOOKS_PER_BUSINESS_MAX} webhooks: delete one first.`);
  if (existing.filter((other) => siteOf(other.url) === site).length >= WEBHOOKS_PER_HOST_MAX)
    throw new Refusal('conflict', `A business can have ${WEBHOOKS_PER_HOST_MAX} webhooks at ${site}: delete one first.`);
}

/** The URL as it is requested: two spellings of one endpoint are equal. */
function endpointOf(text: string): string {
  const url = URL.parse(text);
  if (!url) return text;
  url.hash = '';
  return url.href;
}

/** The registrable domain, because one wildcard record gives its owner any number of hosts; without one, the host itself. */
function siteOf(text: string): string {
  const hostname = URL.parse(text)?.hostname ?? text;
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
}

export async function listWebhooks({ database, cursors }: WebhookServices, business: Business, query: PageQuery) {
  const { limit = PAGE_DEFAULT_ITEMS, cursor } = query;
  const scope = ['webhooks', business.id.toString()];
  const rows = await store.listWebhooks(database.of(business.id), business.id, cursors.open(scope, cursor) ?? null, limit + 1);
  return pageOf(rows, limit, ({ id }) => cursors.issue(scope, id));
}

export async function getWebhook({ database }: WebhookServices, business: Business, id: string): Promise<store.Webhook> {
  return (await store.findWebhook(database.of(business.id), business.id, uuidOf(id))) ?? noSuchWebhook();
}

/** Once it returns, no process begins another attempt. */
export async function deleteWebhook({ database }: WebhookServices, business: Business, id: string): Promise<void> {
  const webhookId = uuidOf(id);
  const work = async (tx: Queryable) => {
    // The refusal rolls back, so that no process is notified of a change that did not happen.
    if (!(await store.deleteWebhook(tx, business.id, webhookId))) noSuchWebhook();
  };
  await changeCached(database, business.id, work, { kind: 'webhook', id: webhookId });
}

/** Attempts of a paused webhook keep waiting; new messages are not queued for it. */
export async function setActive(services: WebhookServices, business: Business, id: string, active: boolean): Promise<store.Webhook> {
  const database = services.database.of(business.id);
  const webhookId = uuidOf(id);
  const changed = active
    ? await store.resumeWebhook(database, business.id, webhookId)
    : await store.pauseWebhook(database, business.id, webhookId, 'requested');
  if (!changed) noSuchWebhook();
  if (active) announce(services, business, webhookId);
  return changed;
}

/** Tells workers that attempts of the webhook can be leased. */
function announce({ announcer }: WebhookServices, { id: partyId }: Business, webhookId: string): void {
  announcer.announce(WEBHOOKS_CHANNEL, nameOf({ partyId, webhookId }));
}

/** Returns the id of the queued attempt. */
export async function testWebhook(services: WebhookServices, business: Business, id: string): Promise<string> {
  const webhookId = uuidOf(id);
  const queued = await store.insertTest(services.database.of(business.id), business.id, webhookId, newUuid());
  if (queued !== undefined) {
    announce(services, business, webhookId);
    return queued;
  }
  await getWebhook(services, business, id);
  throw new Refusal('conflict', 'The webhook is paused: resume it with PATCH {"active": true} first.');
}

export async function readLog(services: WebhookServices, business: Business, id: string, query: PageQuery) {
  const { limit = PAGE_DEFAULT_ITEMS, cursor } = query;
  const webhook = await getWebhook(services, business, id);
  const scope = ['deliveries', business.id.toString(), webhook.id];
  const below = services.cursors.open(scope, cursor) ?? null;
  const rows = await store.listAttempts(services.database.of(business.id), business.id, webhook.id, below, limit + 1);
  return { webhook, ...pageOf(rows, limit, (entry) => services.cursors.issue(scope, entry.id)) };
}

/** `<segment>`, `<handle>/<segment>` or `<handle>+<segment>@<inbound domain>`, with the business's own handle. */
function segmentOf({ handle }: Business, inboundDomain: string, target: string): string {
  const text = asciiLowerCase(target);
  const [, name = handle, segment = text, domain = inboundDomain] =
    /^([^/+@]*)\/([^/+@]*)$/.exec(text) ?? /^([^/+@]*)\+([^/+@]*)@([^/+@]*)$/.exec(text) ?? [];
  const parsed = parseSegment(segment);
  if (parsed === undefined) refuseTarget(`must be <segment>, ${handle}/<segment> or ${handle}+<segment>@${inboundDomain}`);
  if (name !== handle) refuseTarget(`names the handle ${name}, but yours is ${handle}`);
  if (domain !== inboundDomain) refuseTarget(`names the domain ${domain}, but addresses here end with @${inboundDomain}`);
  return parsed;
}

function refuseTarget(message: string): never {
  throw invalid([{ path: '/target', message }]);
}

function uuidOf(id: string): string {
  return parseId('wh', id) ?? noSuchWebhook();
}

function noSuchWebhook(): never {
  throw new Refusal('not_found', 'The webhook was not found.');
}
