import { Type } from 'typebox';
import { formatId } from '../../contract/ids.ts';
import { closed } from '../../contract/paging.ts';
import { WEBHOOK_EVENTS } from './events.ts';
import type { LogEntry, Webhook } from './webhooks.ts';

export const time = (description: string) => Type.String({ format: 'date-time', description });
export const nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

export const deliveryFields = {
  id: Type.String({ description: 'dlv_ id, the Waybill-Delivery-Id of this attempt.' }),
  webhook_id: Type.String(),
  message_id: nullable(
    Type.String({ description: 'What the event is about, if it is a message. For a test, the id in its sample envelope.' }),
  ),
  event_id: Type.String({
    description: 'The header webhook-id: the msg_ id of a received message or a test, the evt_ id of any other event.',
  }),
  event: Type.Enum([...WEBHOOK_EVENTS, 'message.test']),
  replay: Type.Boolean({ description: 'Whether it was asked for with POST /v1/messages/{id}/redeliver.' }),
  attempt: Type.Integer({ minimum: 1 }),
  status: Type.Enum(['pending', 'delivered', 'retrying', 'dropped', 'failed'], {
    description:
      'pending: not made yet. delivered: the response was 2xx. retrying: failed, and another attempt follows. dropped: failed, and it was the last. failed: it failed and is not retried, because it was a test or the response was 410.',
  }),
  status_code: nullable(Type.Integer()),
  response_ms: nullable(Type.Integer()),
  error: nullable(Type.String({ description: 'Why it failed.' })),
  created_at: time('When it was queued.'),
  attempted_at: nullable(time('When the attempt began.')),
  next_attempt_at: nullable(time('pending: when the attempt is due. retrying: when the next attempt is due.')),
};

export const DeliverySchema = Type.Object(deliveryFields, {
  $id: 'Delivery',
  ...closed,
  description: 'One attempt to deliver a message to a webhook.',
});

export function deliveryView(webhook: Webhook, entry: LogEntry) {
  return {
    id: formatId('dlv', entry.id),
    webhook_id: formatId('wh', webhook.id),
    ...eventView(entry),
    event: entry.event === 'message.replay' ? 'message.received' : entry.event,
    replay: entry.event === 'message.replay',
    attempt: entry.attempt,
    status: entry.status,
    status_code: entry.statusCode,
    response_ms: entry.responseMs,
    error: entry.error,
    created_at: entry.createdAt.toISOString(),
    attempted_at: entry.attemptedAt?.toISOString() ?? null,
    next_attempt_at: entry.nextAttemptAt?.toISOString() ?? null,
  };
}

export function eventView({ event, messageId, subjectId }: LogEntry) {
  if (subjectId === null) return { message_id: formatId('msg', messageId), event_id: formatId('msg', messageId) };
  const isOfMessage = event !== 'thread.updated' && event !== 'webhook.paused';
  return { message_id: isOfMessage ? formatId('msg', subjectId) : null, event_id: formatId('evt', messageId) };
}
