import { Type } from 'typebox';
import { formatId } from '../../contract/ids.ts';
import { WEBHOOK_FAILURES_BEFORE_SUCCESS_MAX, WEBHOOK_PAUSE_AFTER_DAYS } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import { nullable, time } from './delivery-schema.ts';
import { WEBHOOK_EVENTS } from './events.ts';
import { SIGNATURES } from './signing-keys.ts';
import { PAUSE_REASONS, type Webhook } from './store.ts';
import { typesOf } from './webhook-fields.ts';

const webhookFields = {
  id: Type.String({ description: 'wh_ id' }),
  url: Type.String(),
  active: Type.Boolean({ description: 'Whether the service posts messages to it.' }),
  pause: Type.Union(
    [
      Type.Object(
        {
          reason: Type.Enum(PAUSE_REASONS, {
            description: `never_succeeded: ${WEBHOOK_FAILURES_BEFORE_SUCCESS_MAX} attempts failed, and none ever got a 2xx response. failing: all attempts failed for ${WEBHOOK_PAUSE_AFTER_DAYS} days (a setting of the service). gone: the endpoint responded 410. requested: your business paused it.`,
          }),
          since: time('When it was paused.'),
        },
        closed,
      ),
      Type.Null(),
    ],
    { description: 'Why it is not active; null while it is.' },
  ),
  last_pause: Type.Union([Type.Object({ since: time('When it was paused.'), until: time('When it was resumed.') }, closed), Type.Null()], {
    description: 'The last pause that is over; null if there was none. Recover what came meanwhile.',
  }),
  target: Type.Union([Type.String(), Type.Null()], {
    description: 'Only messages addressed to this segment of your business; null for all.',
  }),
  description: nullable(Type.String({ description: 'Your note about it.' })),
  types: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Only messages with one of these types; null for all. `*` at the end stands for any text.',
  }),
  header_names: Type.Array(Type.String(), { description: 'The names of your own headers, in lower case. Values are never shown.' }),
  max_per_second: nullable(Type.Integer({ description: 'The limit of attempts per second; null for none.' })),
  ordered: Type.Boolean({ description: 'Whether attempts of one thread are made one at a time, in order of delivery.' }),
  events: Type.Array(Type.Enum([...WEBHOOK_EVENTS]), { description: 'What it is told of.' }),
  signatures: Type.Array(Type.Enum([...SIGNATURES]), { description: 'How attempts are signed.' }),
  client_certificate: Type.Boolean({ description: 'Whether the endpoint may see the client certificate of the service.' }),
  public_key: nullable(Type.String({ description: 'whpk_…, with which you verify Ed25519 signatures; null without them.' })),
  failing_since: nullable(time('When the first attempt failed after the last success; null after a success.')),
  created_at: time('When it was created.'),
};

export const WebhookSchema = Type.Object(webhookFields, { $id: 'Webhook', ...closed });

export const CreatedWebhookSchema = Type.Object(
  { ...webhookFields, secret: Type.String({ description: 'Signs every delivery. Shown only once.' }) },
  { $id: 'CreatedWebhook', ...closed },
);

export function webhookView({
  id,
  url,
  active,
  pause,
  lastPause,
  failingSince,
  target,
  description,
  types,
  headers,
  maxPerSecond,
  ordered,
  events,
  showsCertificate,
  publicKey,
  createdAt,
}: Webhook) {
  return {
    id: formatId('wh', id),
    url,
    active,
    pause: pause && { reason: pause.reason, since: pause.since.toISOString() },
    last_pause: lastPause && { since: lastPause.since.toISOString(), until: lastPause.until.toISOString() },
    target,
    description,
    types: typesOf(types),
    header_names: Object.keys(headers ?? {}),
    max_per_second: maxPerSecond,
    ordered,
    events,
    signatures: publicKey === null ? ['hmac'] : ['hmac', 'ed25519'],
    client_certificate: showsCertificate,
    public_key: publicKey,
    failing_since: failingSince?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
  };
}
