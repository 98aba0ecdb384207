import { Type } from 'typebox';
import { formatId } from '../../contract/ids.ts';
import { closed } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { QueuedSchema } from './queued-schema.ts';
import { redeliver as queueReplay, type WebhookServices } from './webhooks.ts';

const { endpoint } = endpointsFor<WebhookServices>();

export const redeliver = endpoint({
  summary: 'Deliver a message to a webhook again',
  description:
    'Also if the message came while the webhook was paused or did not exist, or is not one that it selects. Attempts have the header Waybill-Replay: true and the same webhook-id, and are retried like others.',
  params: Type.Object({ id: Type.String({ description: 'msg_ id of a message in your inbox' }) }),
  body: Type.Object({ webhook_id: Type.String({ maxLength: 64, description: 'wh_ id' }) }, closed),
  success: { status: 202, description: 'Queued.', schema: QueuedSchema },
  errors: ['not_found', 'conflict', 'validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type'],
  handle: async (context, { caller, params, body }) => ({
    body: { queued: true, job_id: formatId('job', await queueReplay(context, caller.business, params.id, body.webhook_id)) },
  }),
});
