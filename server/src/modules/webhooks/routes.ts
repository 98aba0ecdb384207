import { Type } from 'typebox';
import { formatId } from '../../contract/ids.ts';
import {
  TYPE_MAX_CHARS,
  WEBHOOK_DESCRIPTION_MAX_CHARS,
  WEBHOOK_HEADERS_MAX,
  WEBHOOK_HEADERS_MAX_BYTES,
  WEBHOOK_PER_SECOND_MAX,
  WEBHOOK_SECRET_GRACE_MAX_S,
  WEBHOOK_TYPES_MAX,
  WEBHOOK_URL_MAX_CHARS,
} from '../../contract/limits.ts';
import { closed, pageSchema, pagingFields } from '../../contract/paging.ts';
import { keysOf } from '../../contract/records.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { DeliverySchema, deliveryView, nullable, time } from './delivery-schema.ts';
import { WEBHOOK_EVENTS } from './events.ts';
import { QueuedSchema } from './queued-schema.ts';
import { SIGNATURES } from './signing-keys.ts';
import { ATTEMPTS_COUNTED_MAX, type Counted, periods, readStatistics, type WebhookStatistics } from './statistics.ts';
import { CreatedWebhookSchema, WebhookSchema, webhookView } from './webhook-view.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  readLog,
  rotateSecret,
  testWebhook,
  type WebhookServices,
} from './webhooks.ts';

const { endpoint } = endpointsFor<WebhookServices & { webhookStatistics: WebhookStatistics }>();

const countedFields = {
  delivered: Type.Integer({ description: 'Attempts with a 2xx response.' }),
  failed: Type.Integer({ description: 'All other attempts that were made, tests included.' }),
  p50_ms: nullable(Type.Integer({ description: 'Half of the responses came within this many milliseconds.' })),
  p95_ms: nullable(Type.Integer({ description: '95 of 100 responses came within this many milliseconds.' })),
};

const WebhookStatisticsSchema = Type.Object(
  {
    webhook_id: Type.String(),
    period: Type.Enum(keysOf(periods)),
    counted_since: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: `If there are more than ${ATTEMPTS_COUNTED_MAX} attempts, the time since which they were counted; otherwise null.`,
    }),
    totals: Type.Object(countedFields, closed),
    buckets: Type.Array(Type.Object({ start: time('A whole hour or day in UTC.'), ...countedFields }, closed), {
      description: 'Oldest first. The last one has not ended yet.',
    }),
  },
  { $id: 'WebhookStatistics', ...closed },
);

const idParams = Type.Object({ id: Type.String({ description: 'wh_ id' }) });

const bodyErrors = ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type'] as const;

const url = Type.String({ minLength: 1, maxLength: WEBHOOK_URL_MAX_CHARS, description: 'HTTPS, on a public host.' });

const settingFields = {
  target: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 512 }), Type.Null()], {
      description:
        'A segment of your business: `<segment>`, `<handle>/<segment>` or `<handle>+<segment>@<inbound domain>`. Null for all messages.',
    }),
  ),
  description: Type.Optional(Type.Union([Type.String({ maxLength: WEBHOOK_DESCRIPTION_MAX_CHARS }), Type.Null()])),
  active: Type.Optional(Type.Boolean({ description: 'False pauses the webhook, true resumes it.' })),
  types: Type.Optional(
    Type.Union(
      [Type.Array(Type.String({ minLength: 1, maxLength: TYPE_MAX_CHARS }), { minItems: 1, maxItems: WEBHOOK_TYPES_MAX }), Type.Null()],
      {
        description:
          'Only messages with one of these types, such as `invoice` or `order.*`. Null for all messages, also those without a type.',
      },
    ),
  ),
  headers: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()], {
      description: `Your own headers, sent with each attempt: at most ${WEBHOOK_HEADERS_MAX}, with ${WEBHOOK_HEADERS_MAX_BYTES} bytes in all. They replace those given before. Responses have their names only.`,
    }),
  ),
  max_per_second: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: WEBHOOK_PER_SECOND_MAX }), Type.Null()], {
      description: 'Attempts that begin per second, averaged over a few seconds. Null for no limit.',
    }),
  ),
  ordered: Type.Optional(
    Type.Boolean({
      description: 'True: of each thread, one attempt at a time in order of delivery. Retries delay only the rest of their thread.',
    }),
  ),
  events: Type.Optional(
    Type.Array(Type.Enum([...WEBHOOK_EVENTS]), {
      minItems: 1,
      maxItems: WEBHOOK_EVENTS.length,
      uniqueItems: true,
      description:
        'What the webhook is told of, each event once; `["message.received"]` at first. `target` and `types` choose among messages. Only received messages can be redelivered and recovered.',
    }),
  ),
  signatures: Type.Optional(
    Type.Array(Type.Enum([...SIGNATURES]), {
      minItems: 1,
      maxItems: SIGNATURES.length,
      description:
        '`["hmac"]`, as at first, or `["hmac", "ed25519"]` for a second signature (v1a of Standard Webhooks) that receivers verify with a public key.',
    }),
  ),
  client_certificate: Type.Optional(
    Type.Boolean({
      description:
        'True: your endpoint, if it asks for one, gets the client certificate of the service (mTLS), if the operator has set one. False at first.',
    }),
  ),
};

const recover = Type.Optional(
  Type.Boolean({
    description:
      'With `active: true` on a paused webhook: starts a recovery of what was not delivered since the pause began, or since failing_since.',
  }),
);

export const list = endpoint({
  summary: 'List the webhooks of your business',
  query: Type.Object(pagingFields, closed),
  success: { status: 200, description: 'A page of webhooks, in the order of their creation.', schema: pageSchema(WebhookSchema) },
  errors: ['validation_error'],
  handle: async (context, { caller, query }) => {
    const { items, nextCursor } = await listWebhooks(context, caller.business, query);
    return { body: { data: items.map(webhookView), next_cursor: nextCursor } };
  },
});

export const create = endpoint({
  summary: 'Create a webhook',
  description:
    'From now on the service also posts every message to your inbox to the URL, signed with the secret in this response. The guide to webhooks shows how to verify it.',
  body: Type.Object({ url, ...settingFields }, closed),
  success: { status: 201, description: 'The webhook with its secret.', schema: CreatedWebhookSchema },
  errors: [...bodyErrors, 'invalid_webhook_url', 'conflict'],
  handle: async (context, { caller, body }) => {
    const { webhook, secret } = await createWebhook(context, caller.business, body);
    return { body: { ...webhookView(webhook), secret } };
  },
});

export const getOne = endpoint({
  summary: 'Get a webhook',
  params: idParams,
  success: { status: 200, description: 'The webhook, without its secret.', schema: WebhookSchema },
  errors: ['not_found'],
  handle: async (context, { caller, params }) => ({ body: webhookView(await getWebhook(context, caller.business, params.id)) }),
});

export const change = endpoint({
  summary: 'Change, pause or resume a webhook',
  description:
    'Changes the given fields. Once you have the response, no attempt begins with the former settings; those that have begun finish. While a webhook is paused, queued attempts wait, and new messages are not queued. When you resume it, the service sends the attempts that waited. An endpoint at a new URL gets one attempt at a time until its first 2xx response.',
  params: idParams,
  body: Type.Object({ url: Type.Optional(url), ...settingFields, recover }, { ...closed, minProperties: 1 }),
  success: { status: 200, description: 'The changed webhook.', schema: WebhookSchema },
  errors: [...bodyErrors, 'not_found', 'invalid_webhook_url', 'conflict', 'quota_exceeded'],
  handle: async (context, { caller, params, body }) => ({
    body: webhookView(await changeWebhook(context, caller.business, params.id, body)),
  }),
});

export const remove = endpoint({
  summary: 'Delete a webhook',
  description: 'Cancels its pending attempts and deletes its log.',
  params: idParams,
  success: { status: 204, description: 'Deleted.' },
  errors: ['not_found', 'unsupported_media_type', 'json_too_large'],
  handle: async (context, { caller, params }) => {
    await deleteWebhook(context, caller.business, params.id);
    return {};
  },
});

export const rotate = endpoint({
  summary: 'Replace the secret of a webhook',
  description:
    'Until the grace is over, each attempt has a signature with the new secret and one with the secret before, in both schemes. A secret that was replaced before that is no longer used. A key pair is replaced with the secret, with the same grace.',
  params: idParams,
  body: Type.Object(
    {
      grace_s: Type.Integer({
        minimum: 0,
        maximum: WEBHOOK_SECRET_GRACE_MAX_S,
        description: 'Seconds for which the secret before also signs. 0 ends it at once.',
      }),
    },
    closed,
  ),
  success: {
    status: 200,
    description: 'The new secret.',
    schema: Type.Object(
      {
        secret: Type.String({ description: 'Signs every delivery. Shown only once.' }),
        public_key: nullable(Type.String({ description: 'The new whpk_… of a webhook with Ed25519 signatures; otherwise null.' })),
        previous_valid_until: nullable(time('When the secret before stops signing; null if it has.')),
      },
      closed,
    ),
  },
  errors: [...bodyErrors, 'not_found'],
  handle: async (context, { caller, params, body }) => {
    const { secret, publicKey, previousValidUntil } = await rotateSecret(context, caller.business, params.id, body.grace_s);
    return { body: { secret, public_key: publicKey, previous_valid_until: previousValidUntil?.toISOString() ?? null } };
  },
});

export const test = endpoint({
  summary: 'Queue a message.test delivery',
  description: 'Sends a sample envelope once, without retries. The delivery log has the result.',
  params: idParams,
  success: {
    status: 202,
    description: 'Queued.',
    schema: QueuedSchema,
  },
  errors: ['not_found', 'conflict', 'unsupported_media_type', 'json_too_large'],
  handle: async (context, { caller, params }) => ({
    body: { queued: true, job_id: formatId('job', await testWebhook(context, caller.business, params.id)) },
  }),
});

export const deliveries = endpoint({
  summary: 'List the delivery log of a webhook, newest first',
  params: idParams,
  query: Type.Object(pagingFields, closed),
  success: { status: 200, description: 'A page of attempts.', schema: pageSchema(DeliverySchema) },
  errors: ['not_found', 'validation_error'],
  handle: async (context, { caller, params, query }) => {
    const { webhook, items, nextCursor } = await readLog(context, caller.business, params.id, query);
    return { body: { data: items.map((entry) => deliveryView(webhook, entry)), next_cursor: nextCursor } };
  },
});

export const statistics = endpoint({
  summary: 'Get the outcomes of a webhook’s attempts over time',
  description: 'Each attempt counts in the bucket in which it ended: 24 of an hour, 28 of six hours or 30 of a day.',
  params: idParams,
  query: Type.Object({ period: Type.Optional(Type.Enum(keysOf(periods), { description: '24h by default.' })) }, closed),
  success: { status: 200, description: 'The statistics.', schema: WebhookStatisticsSchema },
  errors: ['not_found', 'validation_error'],
  handle: async (context, { caller, params, query: { period = '24h' }, spend }) => {
    const { webhook, statistics } = await readStatistics(context, caller.business, params.id, period, spend);
    const { countedSince, totals, buckets } = statistics;
    return {
      body: {
        webhook_id: formatId('wh', webhook.id),
        period,
        counted_since: countedSince?.toISOString() ?? null,
        totals: countedView(totals),
        buckets: buckets.map(({ start, ...counted }) => ({ start: start.toISOString(), ...countedView(counted) })),
      },
    };
  },
});

function countedView({ delivered, failed, p50Ms, p95Ms }: Counted) {
  return { delivered, failed, p50_ms: p50Ms, p95_ms: p95Ms };
}
