import type { Queryable } from '../../platform/postgres/postgres.ts';
import { insertEvents } from './event-store.ts';

/** The events a webhook can subscribe to. The default is received messages alone. */
export const WEBHOOK_EVENTS = [
  'message.received',
  'message.sent',
  'schema.failed',
  'thread.updated',
  'webhook.paused',
  'file.hashed',
  'message.acknowledged',
  'message.expired',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Message quotas do not count these events. One request can cause many. */
export const UNCOUNTED_EVENTS: readonly WebhookEvent[] = [
  'thread.updated',
  'webhook.paused',
  'file.hashed',
  'message.acknowledged',
  'message.expired',
];

/**
 * Queues an event about each subject for the webhooks that subscribe to it. They get it once the transaction is committed. A subject is a
 * uuid.
 */
export async function queueEvents(
  tx: Queryable,
  partyId: bigint,
  event: 'thread.updated' | 'webhook.paused' | 'message.acknowledged' | 'message.expired',
  subjects: readonly string[],
): Promise<void> {
  if (subjects.length > 0) await insertEvents(tx, partyId, event, subjects);
}
