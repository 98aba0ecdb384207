import type { Queryable } from '../../platform/postgres/postgres.ts';
import { insertEvents } from './event-store.ts';

/** What a webhook can be told of; at first, of received messages alone. */
export const WEBHOOK_EVENTS = [
  'message.received',
  'message.sent',
  'schema.failed',
  'thread.updated',
  'webhook.paused',
  'file.hashed',
  'message.acknowledged',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Events that the quotas of messages do not count. One request can cause many. */
export const UNCOUNTED_EVENTS: readonly WebhookEvent[] = ['thread.updated', 'webhook.paused', 'file.hashed', 'message.acknowledged'];

/** Tells the webhooks of a business that want to know, once the transaction is committed: of each subject by its uuid. */
export async function queueEvents(
  tx: Queryable,
  partyId: bigint,
  event: 'thread.updated' | 'webhook.paused' | 'message.acknowledged',
  subjects: readonly string[],
): Promise<void> {
  if (subjects.length > 0) await insertEvents(tx, partyId, event, subjects);
}
