import { getDomain } from 'tldts';
import { type Cursors, pageOf } from '../../contract/cursors.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { formatId, newUuid, parseId, timeOfUuid } from '../../contract/ids.ts';
import {
  PAGE_DEFAULT_ITEMS,
  WEBHOOK_REPLAYS_UP_TO_WAITING,
  WEBHOOKS_PER_BUSINESS_MAX,
  WEBHOOKS_PER_EVENT_MAX,
  WEBHOOKS_PER_HOST_MAX,
} from '../../contract/limits.ts';
import { asciiLowerCase, parseSegment } from '../../contract/names.ts';
import type { Business } from '../../contract/parties.ts';
import { ForbiddenDestination, type Outbound } from '../../platform/outbound/outbound.ts';
import type { Announcer } from '../../platform/postgres/announcer.ts';
import { changeCached } from '../../platform/postgres/change-feed.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import { nameOf, WEBHOOKS_CHANNEL } from './attempt-store.ts';
import { queueEvents, UNCOUNTED_EVENTS, type WebhookEvent } from './events.ts';
import { queueRelease } from './order-store.ts';
import { admitRecovery } from './recovery-limits.ts';
import { findFirstRefused, insertRecovery } from './recovery-store.ts';
import { newSecret } from './signature.ts';
import { type Rotated, rotateKeys, setEd25519, wantsEd25519 } from './signing-keys.ts';
import * as store from './store.ts';
import { checkedHeaders, likePatterns, type WebhookFields } from './webhook-fields.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

export type { LogEntry, Webhook } from './store.ts';

export interface WebhookServices {
  database: Database;
  announcer: Announcer;
  cursors: Cursors;
  outbound: Outbound;
  webhookSecrets: WebhookSecrets;
  inboundDomain: string;
}

export interface PageQuery {
  limit?: number;
  cursor?: string;
}

const UNSET: Omit<store.WebhookSettings, 'url'> = {
  target: null,
  description: null,
  types: null,
  headers: null,
  maxPerSecond: null,
  ordered: false,
  events: ['message.received'],
  showsCertificate: false,
};

/** The secret is shown only once. */
export async function createWebhook(
  services: WebhookServices,
  business: Business,
  { active = true, ...fields }: Omit<WebhookFields, 'recover'> & { url: string },
): Promise<{ webhook: store.Webhook; secret: string }> {
  const id = newUuid();
  const settings = { url: fields.url, ...UNSET, ...(await checkedSettings(services, business, id, fields)) };
  const secret = newSecret();
  const webhook = await services.database.of(business.id).transaction(async (tx) => {
    const existing = await store.lockWebhooks(tx, business.id);
    if (existing.length >= WEBHOOKS_PER_BUSINESS_MAX)
      throw new Refusal('conflict', `A business can have ${WEBHOOKS_PER_BUSINESS_MAX} webhooks: delete one first.`);
    refuseCrowding(existing, settings);
    refuseTooManyTold(existing, settings);
    const inserted = await store.insertWebhook(tx, business.id, { ...settings, id, secret: services.webhookSecrets.seal(id, secret) });
    const created = (await setSignatures(services, tx, business, id, fields)) ?? inserted;
    return active ? created : ((await store.pauseWebhook(tx, business.id, id, 'requested')) ?? created);
  });
  return { webhook, secret };
}

/**
 * Once this returns, no process begins an attempt with the former settings, nor any attempt of a paused webhook: attempts wait. New
 * messages are not queued for a paused webhook.
 */
export async function changeWebhook(
  services: WebhookServices,
  business: Business,
  id: string,
  fields: WebhookFields,
): Promise<store.Webhook> {
  const webhookId = uuidOf(id);
  const settings = await checkedSettings(services, business, webhookId, fields);
  const work = async (tx: Queryable) => {
    const existing = await store.lockWebhooks(tx, business.id);
    const before = existing.find((webhook) => webhook.id === webhookId) ?? noSuchWebhook();
    const wanted = { ...before, ...settings };
    const others = existing.filter((webhook) => webhook !== before);
    const isMoved = endpointOf(wanted.url) !== endpointOf(before.url);
    if (isMoved || wanted.target !== before.target) refuseCrowding(others, wanted);
    if (settings.events) refuseTooManyTold(others, wanted);
    await setSignatures(services, tx, business, webhookId, fields);
    if (isMoved) await store.forgetSuccess(tx, business.id, webhookId);
    await changeOrder(tx, business, before, wanted.ordered, fields.active);
    const changed = await store.updateWebhook(tx, business.id, webhookId, wanted);
    if (fields.active === undefined) return changed;
    return fields.active ? resume(tx, business, before, changed, fields.recover) : pause(tx, business, before);
  };
  const changed = await changeCached(services.database, business.id, work, { kind: 'webhook-settings', id: webhookId });
  if (changed.active) announce(services, business, webhookId);
  return changed;
}

/** When order ends, the attempts that waited for it are released. When order begins, attempts under way end first. */
async function changeOrder(
  tx: Queryable,
  business: Business,
  { id: webhookId, ordered }: store.Webhook,
  wanted: boolean,
  isResumed: boolean | undefined,
): Promise<void> {
  const key = { partyId: business.id, webhookId };
  if (wanted !== ordered) await queueRelease(tx, key, wanted ? LEASES_OVER_S : 0);
  else if (ordered && isResumed) await queueRelease(tx, key, 0);
}

async function pause(tx: Queryable, business: Business, before: store.Webhook): Promise<store.Webhook> {
  const paused = (await store.pauseWebhook(tx, business.id, before.id, 'requested')) ?? noSuchWebhook();
  if (before.active) await queueEvents(tx, business.id, 'webhook.paused', [before.id]);
  return paused;
}

async function resume(
  tx: Queryable,
  business: Business,
  before: store.Webhook,
  { events }: store.Webhook,
  recovers: boolean | undefined,
): Promise<store.Webhook> {
  const resumed = await store.resumeWebhook(tx, business.id, before.id);
  if (recovers && before.pause && events.includes('message.received'))
    await recover(tx, business, before.id, [before.pause.since, before.failingSince ?? before.pause.since]);
  return resumed ?? noSuchWebhook();
}

/** After this time, no worker holds an attempt that it leased before the webhook was ordered, and that nothing would wait for. */
const LEASES_OVER_S = 30;

/** A minute more than the pause, in case clocks differ. Messages with an attempt in the log are not delivered again. */
const RECOVERED_BEFORE_PAUSE_MS = 60_000;

/**
 * Recovers from the earliest of these times. An attempt that was open at a pause may have failed after it, and a message whose attempt got
 * a 410 may have come long before.
 */
async function recover(tx: Queryable, { id: partyId }: Business, webhookId: string, times: Date[]): Promise<void> {
  const pausedMs = Math.min(...times.map((time) => time.getTime())) - RECOVERED_BEFORE_PAUSE_MS;
  const refused = await findFirstRefused(tx, { partyId, webhookId }, new Date(pausedMs));
  const sinceMs = refused === undefined ? pausedMs : Math.min(pausedMs, timeOfUuid(refused) - RECOVERED_BEFORE_PAUSE_MS);
  const recovery = { id: newUuid(), only: 'undelivered', sinceMs, untilMs: undefined } as const;
  await admitRecovery(tx, { partyId, webhookId });
  if (!(await insertRecovery(tx, { partyId, webhookId }, recovery))) refuseUnfinished();
}

export function refuseUnfinished(): never {
  throw new Refusal('conflict', 'Another recovery of the webhook has not ended: wait for it, or cancel it.');
}

async function setSignatures(
  services: WebhookServices,
  tx: Queryable,
  { id: partyId }: Business,
  webhookId: string,
  fields: WebhookFields,
) {
  if (fields.signatures === undefined) return undefined;
  await setEd25519(tx, services.webhookSecrets, { partyId, webhookId }, wantsEd25519(fields.signatures));
  return store.findWebhook(tx, partyId, webhookId);
}

/** Once this returns, deliveries are signed with the new keys, and with the former ones too until the grace period ends. */
export async function rotateSecret(services: WebhookServices, business: Business, id: string, graceS: number): Promise<Rotated> {
  const webhookId = uuidOf(id);
  const work = async (tx: Queryable) =>
    (await rotateKeys(tx, services.webhookSecrets, { partyId: business.id, webhookId }, graceS)) ?? noSuchWebhook();
  return changeCached(services.database, business.id, work, { kind: 'webhook-settings', id: webhookId });
}

async function checkedSettings(services: WebhookServices, business: Business, id: string, fields: WebhookFields) {
  const { outbound, inboundDomain, webhookSecrets } = services;
  const {
    url,
    target,
    description,
    types,
    headers,
    max_per_second: maxPerSecond,
    ordered,
    events,
    client_certificate: showsCertificate,
  } = fields;
  const settings: Partial<store.WebhookSettings> = {};
  if (target !== undefined) settings.target = target === null ? null : segmentOf(business, inboundDomain, target);
  if (description !== undefined) settings.description = description;
  if (types !== undefined) settings.types = likePatterns(types);
  if (headers !== undefined) settings.headers = headers && webhookSecrets.sealHeaders(id, checkedHeaders(headers));
  if (maxPerSecond !== undefined) settings.maxPerSecond = maxPerSecond;
  if (ordered !== undefined) settings.ordered = ordered;
  if (events !== undefined) settings.events = events;
  if (showsCertificate !== undefined) settings.showsCertificate = showsCertificate;
  if (url === undefined) return settings;
  try {
    await outbound.check(url);
  } catch (error) {
    if (error instanceof ForbiddenDestination) throw new Refusal('invalid_webhook_url', `The URL can't be used: ${error.message}`);
    throw error;
  }
  return { ...settings, url };
}

/** One message must not become many at a receiver that may never have agreed to receive any. */
function refuseCrowding(others: store.Webhook[], { url, target }: store.WebhookSettings): void {
  const [endpoint, site] = [endpointOf(url), siteOf(url)];
  const same = others.find((other) => other.target === target && endpointOf(other.url) === endpoint);
  const receives = target === null ? 'all messages' : `messages to the segment ${target}`;
  if (same) throw new Refusal('conflict', `The webhook ${formatId('wh', same.id)} already posts ${receives} to this URL.`);
  if (others.filter((other) => siteOf(other.url) === site).length >= WEBHOOKS_PER_HOST_MAX)
    throw new Refusal('conflict', `A business can have ${WEBHOOKS_PER_HOST_MAX} webhooks at ${site}: delete one first.`);
}

/** One change of many threads must not queue an unlimited number of attempts. */
function refuseTooManyTold(others: store.Webhook[], { events }: store.WebhookSettings): void {
  const told = (event: WebhookEvent) => others.filter((other) => other.events.includes(event)).length;
  const full = events.find((event) => UNCOUNTED_EVENTS.includes(event) && told(event) >= WEBHOOKS_PER_EVENT_MAX);
  if (full) throw new Refusal('conflict', `${WEBHOOKS_PER_EVENT_MAX} webhooks of your business are told of ${full} already.`);
}

/** Normalizes the URL, so that two spellings of one endpoint are equal. */
function endpointOf(text: string): string {
  const url = URL.parse(text);
  if (!url) return text;
  url.hash = '';
  return url.href;
}

/**
 * The limit counts registrable domains, because one wildcard record gives its owner any number of hosts. A host without one counts itself.
 */
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

/** Once this returns, no process begins another attempt. */
export async function deleteWebhook({ database }: WebhookServices, business: Business, id: string): Promise<void> {
  const webhookId = uuidOf(id);
  const work = async (tx: Queryable) => {
    // The refusal rolls back, so that no process is notified of a change that did not happen.
    if (!(await store.deleteWebhook(tx, business.id, webhookId))) noSuchWebhook();
  };
  await changeCached(database, business.id, work, { kind: 'webhook', id: webhookId });
}

function announce({ announcer }: WebhookServices, { id: partyId }: Business, webhookId: string): void {
  announcer.announce(WEBHOOKS_CHANNEL, nameOf({ partyId, webhookId }));
}

export async function testWebhook(services: WebhookServices, business: Business, id: string): Promise<string> {
  const webhookId = uuidOf(id);
  const queued = await store.insertAttempt(services.database.of(business.id), business.id, webhookId, newUuid(), 'message.test');
  return queued === undefined ? refuseUnqueued(services, business, id) : announced(services, business, webhookId, queued);
}

export async function redeliver(services: WebhookServices, business: Business, messageId: string, id: string): Promise<string> {
  const database = services.database.of(business.id);
  const message = parseId('msg', messageId);
  if (message === undefined || !(await store.hasReceived(database, business.id, message)))
    throw new Refusal('not_found', 'The message was not found in your inbox.');
  const webhookId = uuidOf(id);
  if ((await store.countWaiting(database, business.id, webhookId, WEBHOOK_REPLAYS_UP_TO_WAITING)) >= WEBHOOK_REPLAYS_UP_TO_WAITING)
    throw new Refusal('conflict', `${WEBHOOK_REPLAYS_UP_TO_WAITING} attempts of the webhook are waiting already. Try again later.`);
  const queued = await store.insertAttempt(database, business.id, webhookId, message, 'message.replay');
  return queued === undefined ? refuseUnqueued(services, business, id) : announced(services, business, webhookId, queued);
}

function announced(services: WebhookServices, business: Business, webhookId: string, attemptId: string): string {
  announce(services, business, webhookId);
  return attemptId;
}

async function refuseUnqueued(services: WebhookServices, business: Business, id: string): Promise<never> {
  await getWebhook(services, business, id);
  return refusePaused();
}

export function refusePaused(): never {
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
