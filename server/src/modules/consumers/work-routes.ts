import { Type } from 'typebox';
import { EnvelopeSchema } from '../../contract/envelope.ts';
import {
  HOLDER_MAX_CHARS,
  LEASE_DEFAULT_MESSAGES,
  LEASE_DEFAULT_S,
  LEASE_MAX_S,
  LEASE_MESSAGES_MAX,
  LEASE_WAIT_MAX_S,
  MB,
  PAGE_MAX_BYTES,
  RELEASE_DELAY_MAX_S,
  RELEASE_REASON_MAX_CHARS,
} from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { whileConnected } from '../../http/while-connected.ts';
import { bodyErrors, idsField, nameParams, outcomeSchema } from './consumer-schema.ts';
import {
  acknowledge,
  extend as extendLeases,
  lease as leaseMessages,
  release as releaseMessages,
  type WorkServices,
} from './work-on-messages.ts';

const { endpoint } = endpointsFor<WorkServices>();

const holder = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: HOLDER_MAX_CHARS,
    description:
      'The worker’s name. Only the holder of a message can acknowledge, extend or release it, so give each worker its own. By default, the id of the agent or member that asks.',
  }),
);
const leaseS = Type.Optional(
  Type.Integer({ minimum: 1, maximum: LEASE_MAX_S, description: `Seconds until the lease lapses; ${LEASE_DEFAULT_S} by default.` }),
);

const LeasedMessageSchema = Type.Object(
  {
    message: EnvelopeSchema,
    tries: Type.Integer({ description: 'How often it has been leased, this time included.' }),
    lease_until: Type.String({ format: 'date-time', description: 'Afterwards, another worker can lease it.' }),
    position: Type.String({ description: 'Its position in your inbox, for `through`, `start` and `seek`.' }),
  },
  { $id: 'LeasedMessage', ...closed },
);

export const lease = endpoint({
  summary: 'Lease messages',
  description: `The worker holds them until it acknowledges or releases them, or the lease lapses: then another worker can lease them. With \`wait_s\`, the response comes as soon as there is a message, and is empty when none came in time. It ends early, as pages do, when it has about ${PAGE_MAX_BYTES / MB} MB.`,
  params: nameParams,
  body: Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: LEASE_MESSAGES_MAX, description: `Messages at most; ${LEASE_DEFAULT_MESSAGES} by default.` }),
      ),
      lease_s: leaseS,
      wait_s: Type.Optional(
        Type.Integer({ minimum: 0, maximum: LEASE_WAIT_MAX_S, description: 'Seconds to wait for a message; 0 by default.' }),
      ),
      holder,
    },
    closed,
  ),
  success: {
    status: 200,
    description: 'Messages in order of delivery; none, if there was none.',
    schema: Type.Object({ data: Type.Array(LeasedMessageSchema) }, closed),
  },
  errors: [...bodyErrors, 'not_found'],
  handle: (context, call) =>
    whileConnected(call.request, async (gone) => ({
      body: await leaseMessages(context, call.caller, call.params.name, call.body, call, gone),
    })),
});

export const ack = endpoint({
  summary: 'Acknowledge messages',
  description:
    'The consumer forgets the messages of `ids`, or all that the worker holds up to the position `through`; give one of both. A worker whose lease has lapsed can still acknowledge a message until another worker leases it. Anybody can acknowledge a parked message, by its id.',
  params: nameParams,
  body: Type.Object(
    {
      ids: Type.Optional(idsField),
      through: Type.Optional(
        Type.String({ pattern: '^[0-9]{1,18}$', description: 'Instead of `ids`: everything that the worker holds up to this position.' }),
      ),
      holder,
    },
    closed,
  ),
  success: {
    status: 200,
    description: 'Acknowledged.',
    schema: outcomeSchema('acknowledged', 'Messages that the consumer has forgotten.'),
  },
  errors: [...bodyErrors, 'not_found'],
  handle: async (context, { caller, params, body }) => {
    const { count, unknown } = await acknowledge(context, caller, params.name, body);
    return { body: { acknowledged: count, unknown } };
  },
});

export const extend = endpoint({
  summary: 'Extend leases',
  description:
    'The worker holds the messages for `lease_s` from now, also if its lease has lapsed and no other worker has leased them since.',
  params: nameParams,
  body: Type.Object({ ids: idsField, lease_s: leaseS, holder }, closed),
  success: {
    status: 200,
    description: 'Extended.',
    schema: Type.Object(
      {
        ...outcomeSchema('extended', 'Messages that the worker holds for longer.').properties,
        lease_until: Type.String({ format: 'date-time' }),
      },
      closed,
    ),
  },
  errors: [...bodyErrors, 'not_found'],
  handle: async (context, { caller, params, body }) => {
    const { count, unknown, leaseUntil } = await extendLeases(context, caller, params.name, body);
    return { body: { extended: count, unknown, lease_until: leaseUntil.toISOString() } };
  },
});

export const release = endpoint({
  summary: 'Release messages',
  description:
    'The worker gives them back, and any worker can lease them after `delay_s`. A message that has had all its tries is parked instead.',
  params: nameParams,
  body: Type.Object(
    {
      ids: idsField,
      delay_s: Type.Optional(
        Type.Integer({ minimum: 0, maximum: RELEASE_DELAY_MAX_S, description: 'Seconds until they can be leased; 0 by default.' }),
      ),
      reason: Type.Optional(Type.String({ maxLength: RELEASE_REASON_MAX_CHARS, description: 'Why. Shown with parked messages.' })),
      holder,
    },
    closed,
  ),
  success: { status: 200, description: 'Released.', schema: outcomeSchema('released', 'Messages that the worker no longer holds.') },
  errors: [...bodyErrors, 'not_found'],
  handle: async (context, { caller, params, body }) => {
    const { count, unknown } = await releaseMessages(context, caller, params.name, body);
    return { body: { released: count, unknown } };
  },
});
