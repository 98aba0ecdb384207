import { Type } from 'typebox';
import { formatId } from '../../contract/ids.ts';
import { WEBHOOK_RECOVERY_COUNTED_MAX } from '../../contract/limits.ts';
import { closed, pageSchema, pagingFields } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { changeRecovery, getRecovery, listRecoveries, type Recovery, type RecoveryServices, startRecovery } from './recoveries.ts';
import { RECOVERY_SELECTIONS, RECOVERY_STATES } from './recovery-store.ts';
import type { Webhook } from './webhooks.ts';

const { endpoint } = endpointsFor<RecoveryServices>();

const TIME_MAX_CHARS = 64;
const time = (description: string) => Type.String({ format: 'date-time', description });
const only = Type.Enum(RECOVERY_SELECTIONS, {
  description:
    'failed: messages whose last attempt was dropped, or got a 410. missing: messages without any attempt in the log. undelivered: both. all: every message.',
});

const RecoverySchema = Type.Object(
  {
    id: Type.String({ description: 'rcv_ id' }),
    webhook_id: Type.String({ description: 'wh_ id' }),
    state: Type.Enum(RECOVERY_STATES, { description: 'While its webhook is paused, a running recovery waits.' }),
    only,
    since: time('Messages received at this time or later.'),
    until: time('Messages received before this time.'),
    through: time('Messages received before this time are done.'),
    total: Type.Union([Type.Integer(), Type.Null()], {
      description: `How many messages of your inbox are in that time, whether the recovery delivers them or not. Null while there are more than ${WEBHOOK_RECOVERY_COUNTED_MAX}.`,
    }),
    done: Type.Integer({ description: 'How many of them it has looked at.' }),
    queued: Type.Integer({ description: 'How many of them it has queued for delivery.' }),
    retrying: Type.Integer({
      description: 'How many of them it has left to their next attempt, because they are still being retried. 0 if `only` is `all`.',
    }),
    created_at: time('When you asked for it.'),
    ended_at: Type.Union([time('When it was completed or cancelled.'), Type.Null()]),
  },
  { $id: 'Recovery', ...closed, description: 'Delivers messages of your inbox to a webhook again.' },
);

const webhookParams = Type.Object({ id: Type.String({ description: 'wh_ id' }) });
const recoveryParams = Type.Object({
  id: Type.String({ description: 'wh_ id' }),
  recovery_id: Type.String({ description: 'rcv_ id' }),
});
const bodyErrors = ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type'] as const;

export const start = endpoint({
  summary: 'Deliver the messages of a time to a webhook again',
  description:
    'Workers walk your inbox in order of delivery, and queue an attempt for each message that you want and that the webhook selects by target and types as they are now. They queue more as your endpoint takes them. Attempts have the header Waybill-Replay: true and the same webhook-id, and are retried like others. Messages that arrive from now on are delivered as usual. A webhook has one recovery at a time.',
  params: webhookParams,
  body: Type.Object(
    {
      since: Type.String({ maxLength: TIME_MAX_CHARS, description: 'Received at this time or later. ISO 8601.' }),
      until: Type.Optional(Type.String({ maxLength: TIME_MAX_CHARS, description: 'Received before this time; now by default. ISO 8601.' })),
      only: Type.Optional(only),
    },
    closed,
  ),
  success: { status: 202, description: 'The recovery, which workers carry on.', schema: RecoverySchema },
  errors: [...bodyErrors, 'not_found', 'conflict', 'quota_exceeded'],
  handle: async (context, { caller, params, body }) => {
    const { webhook, recovery } = await startRecovery(context, caller.business, params.id, body);
    return { body: recoveryView(webhook, recovery) };
  },
});

export const list = endpoint({
  summary: 'List the recoveries of a webhook, newest first',
  params: webhookParams,
  query: Type.Object(pagingFields, closed),
  success: { status: 200, description: 'A page of recoveries.', schema: pageSchema(RecoverySchema) },
  errors: ['not_found', 'validation_error'],
  handle: async (context, { caller, params, query }) => {
    const { webhook, items, nextCursor } = await listRecoveries(context, caller.business, params.id, query);
    return { body: { data: items.map((recovery) => recoveryView(webhook, recovery)), next_cursor: nextCursor } };
  },
});

export const getOne = endpoint({
  summary: 'Get a recovery and its progress',
  params: recoveryParams,
  success: { status: 200, description: 'The recovery.', schema: RecoverySchema },
  errors: ['not_found'],
  handle: async (context, { caller, params }) => {
    const { webhook, recovery } = await getRecovery(context, caller.business, params.id, params.recovery_id);
    return { body: recoveryView(webhook, recovery) };
  },
});

export const change = endpoint({
  summary: 'Pause, resume or cancel a recovery',
  description:
    'Once you have the response, a recovery that you paused or cancelled queues nothing more. Attempts that are queued stay queued.',
  params: recoveryParams,
  body: Type.Object({ state: Type.Enum(['running', 'paused', 'cancelled']) }, closed),
  success: { status: 200, description: 'The recovery.', schema: RecoverySchema },
  errors: [...bodyErrors, 'not_found', 'conflict', 'quota_exceeded'],
  handle: async (context, { caller, params, body }) => {
    const { webhook, recovery } = await changeRecovery(context, caller.business, params.id, params.recovery_id, body.state);
    return { body: recoveryView(webhook, recovery) };
  },
});

function recoveryView(webhook: Webhook, recovery: Recovery) {
  const { id, state, only, sinceMs, untilMs, throughMs, total, done, queued, retrying, createdAt, endedAt } = recovery;
  return {
    id: formatId('rcv', id),
    webhook_id: formatId('wh', webhook.id),
    state,
    only,
    since: new Date(sinceMs).toISOString(),
    until: new Date(untilMs).toISOString(),
    through: new Date(throughMs).toISOString(),
    total,
    done,
    queued,
    retrying,
    created_at: createdAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
}
