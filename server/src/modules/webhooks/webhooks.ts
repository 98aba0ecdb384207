import { invalid, Refusal } from '../../contract/errors.ts';
import { newUuid, parseId } from '../../contract/ids.ts';
import { PAGE_DEFAULT_ITEMS, WEBHOOKS_PER_BUSINESS_MAX } from '../../contract/limits.ts';
import { asciiLowerCase, parseSegment } from '../../contract/names.ts';
import type { Business } from '../../contract/parties.ts';
import { type Cursors, pageOf } from '../../http/cursor.ts';
import { changingCached } from '../../platform/change-feed.ts';
import { ForbiddenDestination, type Outbound } from '../../platform/outbound.ts';
import type { Database, Queryable } from '../../platform/postgres.ts';
import { newSecret } from './signature.ts';
import * as store from './store.ts';

export type { LogEntry, Webhook } from './store.ts';

export interface WebhookServices {
  database: Database;
  cursors: Cursors;
  outbound: Outbound;
  inboundDomain: string;
}

export interface PageQuery {
  limit?: number;
  cursor?: string;
}

/** With the secret, which is shown this once. */
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
  const webhook = await database.transaction((tx) => store.insertWebhook(tx, business.id, created, WEBHOOKS_PER_BUSINESS_MAX));
  if (!webhook) throw new Refusal('conflict', `A business may have ${WEBHOOKS_PER_BUSINESS_MAX} webhooks: delete one first.`);
  return { webhook, secret };
}

export async function listWebhooks({ database, cursors }: WebhookServices, business: Business, query: PageQuery) {
  const { limit = PAGE_DEFAULT_ITEMS, cursor } = query;
  const scope = ['webhooks', business.id.toString()];
  const rows = await store.listWebhooks(database, business.id, cursors.open(scope, cursor) ?? null, limit + 1);
  return pageOf(rows, limit, ({ id }) => cursors.issue(scope, id));
}

export async function getWebhook({ database }: WebhookServices, business: Business, id: string): Promise<store.Webhook> {
  return (await store.findWebhook(database, business.id, uuidOf(id))) ?? noSuchWebhook();
}

/** Once it returns, no process begins another attempt. */
export async function deleteWebhook({ database }: WebhookServices, business: Business, id: string): Promise<void> {
  const webhookId = uuidOf(id);
  const work = async (tx: Queryable) => {
    // Undone, so that no process hears of a change that was none.
    if (!(await store.deleteWebhook(tx, business.id, webhookId))) noSuchWebhook();
  };
  await changingCached(database, business.id, work, { kind: 'webhook', id: webhookId });
}

/** The id of the attempt that was queued. */
export async function testWebhook({ database }: WebhookServices, business: Business, id: string): Promise<string> {
  return (await store.insertTest(database, business.id, uuidOf(id), newUuid())) ?? noSuchWebhook();
}

export async function readLog(services: WebhookServices, business: Business, id: string, query: PageQuery) {
  const { limit = PAGE_DEFAULT_ITEMS, cursor } = query;
  const webhook = await getWebhook(services, business, id);
  const scope = ['deliveries', business.id.toString(), webhook.id];
  const below = services.cursors.open(scope, cursor) ?? null;
  const rows = await store.listAttempts(services.database, business.id, webhook.id, below, limit + 1);
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
  throw new Refusal('not_found', 'There is no such webhook.');
}
