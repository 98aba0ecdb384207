import { Type } from 'typebox';
import { PartySchema } from '../../contract/envelope.ts';
import { formatId } from '../../contract/ids.ts';
import { WEBHOOK_ATTEMPTS_SHOWN_MAX, WEBHOOK_RESPONSE_KEPT_BYTES } from '../../contract/limits.ts';
import { closed, pageSchema, pagingFields } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import type { Outline } from '../messages/outlines.ts';
import { reserveLarge } from '../messages/page-body.ts';
import type { BodyServices } from './bodies.ts';
import { DELIVERY_STATES, type Delivery, getDelivery, listDeliveries } from './deliveries.ts';
import { DeliverySchema, deliveryFields, deliveryView, eventView, nullable, time } from './delivery-schema.ts';
import type { KeptExchange } from './exchange-store.ts';
import type { LogEntry, Webhook, WebhookServices } from './webhooks.ts';

const { endpoint } = endpointsFor<WebhookServices & BodyServices>();

/** Longer than any ISO 8601 time. */
const TIME_MAX_CHARS = 64;

const stateFields = {
  webhook_id: Type.String(),
  message_id: deliveryFields.message_id,
  event_id: deliveryFields.event_id,
  state: Type.Enum([...DELIVERY_STATES], {
    description:
      'The status of the latest attempt. pending: not made yet. delivered: the response was 2xx. retrying: failed, and another attempt follows. dropped: failed, and it was the last. failed: it failed and is not retried, because it was a test or the response was 410.',
  }),
  next_attempt_at: nullable(time('When the next attempt is due; null if there is none.')),
};

const WebhookMessageSchema = Type.Object(
  {
    ...stateFields,
    message: Type.Union(
      [
        Type.Object(
          {
            type: nullable(Type.String()),
            subject: nullable(Type.String()),
            from: PartySchema,
            to: PartySchema,
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: 'What tells the message apart; null for a test, for an event without a message, and if the message is gone.' },
    ),
    latest_attempt: DeliverySchema,
  },
  { $id: 'WebhookMessage', ...closed, description: 'The delivery of one message to one webhook.' },
);

const header = Type.Object(
  {
    name: Type.String(),
    value: nullable(Type.String({ description: 'Null in place of a secret: a signature, or a header of your own.' })),
  },
  closed,
);

const attemptSchema = Type.Object(
  {
    ...deliveryFields,
    request: Type.Union(
      [
        Type.Object(
          {
            url: Type.String({ description: 'Where it was posted.' }),
            headers: Type.Array(header),
            body_as_shown: Type.Union([Type.Boolean(), Type.Null()], {
              description:
                'Whether exactly the `body` of the delivery was sent. Download URLs of files are signed for each attempt, so they differ.',
            }),
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: 'What was sent; null where it is not kept. Of a busy webhook, a sample of the attempts is.' },
    ),
    response: Type.Union(
      [
        Type.Object(
          {
            headers: Type.Array(header),
            body: Type.String({
              description: `The first ${WEBHOOK_RESPONSE_KEPT_BYTES} bytes, as text. U+FFFD stands for what is not text.`,
            }),
            truncated: Type.Boolean({ description: 'Whether there was more.' }),
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: 'What came back; null without a response, where it is not kept, and for private hosts.' },
    ),
  },
  closed,
);

const WebhookDeliverySchema = Type.Object(
  {
    ...stateFields,
    body: nullable(Type.String({ description: 'The body of the request, made again from the message; null if the message is gone.' })),
    attempts: Type.Array(attemptSchema, { description: `The newest first, ${WEBHOOK_ATTEMPTS_SHOWN_MAX} at most besides the first.` }),
  },
  { $id: 'WebhookDelivery', ...closed, description: 'The delivery of one message to one webhook, with its attempts.' },
);

export const list = endpoint({
  summary: 'List the deliveries of a webhook by message',
  description:
    'One item for each message, with its latest attempt, the newest first; GET /v1/webhooks/{id}/deliveries lists every attempt. With filters, a page can have fewer items than asked for, or none, and still a `next_cursor`.',
  params: Type.Object({ id: Type.String({ description: 'wh_ id' }) }),
  query: Type.Object(
    {
      ...pagingFields,
      state: Type.Optional(Type.Enum([...DELIVERY_STATES], { description: 'Only deliveries in this state.' })),
      message: Type.Optional(Type.String({ maxLength: 64, description: 'msg_ id of a received message, or evt_ id: only its delivery.' })),
      since: Type.Optional(
        Type.String({
          maxLength: TIME_MAX_CHARS,
          description: 'The latest attempt was made (if it is pending, queued) at this time or later. ISO 8601.',
        }),
      ),
      until: Type.Optional(
        Type.String({
          maxLength: TIME_MAX_CHARS,
          description: 'The latest attempt was made (if it is pending, queued) before this time. ISO 8601.',
        }),
      ),
    },
    closed,
  ),
  success: { status: 200, description: 'A page of deliveries.', schema: pageSchema(WebhookMessageSchema) },
  errors: ['not_found', 'validation_error'],
  handle: async (context, { caller, params, query, spend }) => {
    const { webhook, items, nextCursor } = await listDeliveries(context, caller.business, params.id, query, spend);
    const data = items.map(({ entry, message }) => ({
      ...stateView(webhook, entry),
      message: message ? outlineView(message) : null,
      latest_attempt: deliveryView(webhook, entry),
    }));
    return { body: { data, next_cursor: nextCursor } };
  },
});

export const getOne = endpoint({
  summary: 'Get the delivery of a message to a webhook',
  description:
    'Every attempt with its request and response, as far as they are kept. Values of your own headers and signatures are not shown.',
  params: Type.Object({
    id: Type.String({ description: 'wh_ id' }),
    message_id: Type.String({
      description: 'msg_ id of the received message, evt_ id of another event, or dlv_ id of one of the attempts',
    }),
  }),
  success: { status: 200, description: 'The delivery.', schema: WebhookDeliverySchema },
  errors: ['not_found'],
  handle: async (context, { caller, params, reserve, spend }) => {
    const delivery = await getDelivery(context, caller.business, params.id, params.message_id, spend);
    reserveLarge(reserve, delivery.body ?? '');
    return { body: viewOf(delivery) };
  },
});

function viewOf({ webhook, attempts, latest, body }: Delivery) {
  const shown = attempts.map(({ exchange, isBodyAsSent, ...attempt }) => ({
    ...deliveryView(webhook, attempt),
    request: exchange ? { url: exchange.url, headers: headersView(exchange.requestHeaders), body_as_shown: isBodyAsSent } : null,
    response: exchange ? responseView(exchange) : null,
  }));
  return { ...stateView(webhook, latest), body: body ?? null, attempts: shown };
}

function outlineView({ type, subject, sender, recipient }: Outline) {
  return { type, subject, from: JSON.parse(sender).party, to: JSON.parse(recipient).party };
}

function stateView(webhook: Webhook, entry: LogEntry) {
  const { status, attempt, nextAttemptAt } = entry;
  return {
    webhook_id: formatId('wh', webhook.id),
    ...eventView(entry),
    state: status === 'pending' && attempt > 1 ? ('retrying' as const) : status,
    next_attempt_at: nextAttemptAt?.toISOString() ?? null,
  };
}

function responseView({ responseHeaders, responseBody, isTruncated }: KeptExchange) {
  if (responseHeaders === null || responseBody === null) return null;
  return { headers: headersView(responseHeaders), body: responseBody, truncated: isTruncated };
}

function headersView(headers: KeptExchange['requestHeaders']) {
  return headers.map(([name, value]) => ({ name, value }));
}
