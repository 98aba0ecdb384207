import { isRecord } from '../contract/records.ts';
import type { Parameter } from './openapi-parts.ts';
import type { Schema } from './openapi-schema.ts';

const header = (name: string, description: string, schema: Schema) => ({ name, in: 'header', required: true, description, schema });

const headersOf = (event: string, isOfMessage: boolean): Parameter[] => [
  header('Waybill-Event', 'What happened.', { const: event }),
  {
    ...header('Waybill-Replay', 'Only where `POST /v1/messages/{id}/redeliver` asked for the delivery.', { const: 'true' }),
    required: false,
  },
  header('Waybill-Delivery-Id', 'The attempt; the same stands in the delivery log.', {
    type: 'string',
    pattern: '^dlv_[0-9a-hjkmnp-tv-z]{26}$',
  }),
  header(
    'Waybill-Signature',
    '`t=<unix seconds>,v1=<hex>`: `v1` is the HMAC-SHA256 of `<t>.` and the raw body, keyed with the whole secret of the webhook. After a rotation there is a second `v1`, with the secret before, until the grace is over.',
    { type: 'string', pattern: '^t=[0-9]+(,v1=[0-9a-f]{64}){1,2}$' },
  ),
  header('webhook-id', 'The id of the received message, or of the event. De-duplicate by it.', {
    type: 'string',
    pattern: `^${isOfMessage ? 'msg' : 'evt'}_[0-9a-hjkmnp-tv-z]{26}$`,
  }),
  header('webhook-timestamp', 'When the attempt was signed, in Unix seconds.', { type: 'string', pattern: '^[0-9]+$' }),
  header(
    'webhook-signature',
    '`v1,<base64>`: the same proof in the form of Standard Webhooks; after a rotation there are two, separated by a space. Webhooks with Ed25519 signatures have as many `v1a,<base64>`, to verify with the public key.',
    { type: 'string', pattern: '^v1,' },
  ),
];

interface Event {
  operationId: string;
  summary: string;
  schema: Schema;
  example: unknown;
}

function operation(name: string, { operationId, summary, schema, example }: Event) {
  return {
    post: {
      operationId,
      summary,
      description: 'Verify `Waybill-Signature` over the bytes as received, then respond 2xx within 10 seconds.',
      tags: ['webhooks'],
      security: [],
      parameters: headersOf(name, name === 'message.received' || name === 'message.test'),
      requestBody: { required: true, content: { 'application/json': { schema, example } } },
      responses: {
        '2XX': { description: 'Delivered. The service ignores the body.' },
        default: {
          description:
            'Failed, like no response within 10 seconds. The service makes up to six attempts for a message, and one for a test.',
          headers: {
            'Retry-After': {
              description: 'With 429 and 503: delays the next attempt, to at most twice its usual delay.',
              schema: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }] },
            },
          },
        },
      },
    },
  };
}

export function webhooksSection(
  bodyOf: (name: 'Envelope' | 'UpdatedThread' | 'Webhook' | 'AcknowledgedMessage') => Pick<Event, 'schema' | 'example'>,
) {
  const message = bodyOf('Envelope');
  const test = { schema: message.schema, example: { ...(isRecord(message.example) && message.example), type: 'message.test' } };
  const thread = bodyOf('UpdatedThread');
  const webhook = bodyOf('Webhook');
  const events: Record<string, Event> = {
    'message.received': { operationId: 'messageReceived', summary: 'A message was delivered to your inbox, replies included', ...message },
    'message.sent': { operationId: 'messageSent', summary: 'Your business sent a message', ...message },
    'schema.failed': {
      operationId: 'schemaFailed',
      summary: 'A message was delivered to your inbox, and its json fails your schema',
      ...message,
    },
    'file.hashed': { operationId: 'fileHashed', summary: 'A large file of a message has got its hash, after the delivery', ...message },
    'thread.updated': {
      operationId: 'threadUpdated',
      summary:
        'The document of a thread has a new state, or your business changed the status, assignee or labels of the thread, or commented on it',
      ...thread,
    },
    'message.acknowledged': {
      operationId: 'messageAcknowledged',
      summary: 'The recipient of a message that your business sent has acknowledged it',
      ...bodyOf('AcknowledgedMessage'),
    },
    'message.expired': {
      operationId: 'messageExpired',
      summary: 'Nobody has taken a message that your business sent within its `expires_in`',
      ...message,
    },
    'webhook.paused': { operationId: 'webhookPaused', summary: 'Another webhook of your business was paused', ...webhook },
    'message.test': { operationId: 'messageTest', summary: 'A sample that `POST /v1/webhooks/{id}/test` asked for', ...test },
  };
  return Object.fromEntries(Object.entries(events).map(([name, event]) => [name, operation(name, event)]));
}
