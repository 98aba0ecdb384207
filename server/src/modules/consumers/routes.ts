import { Type } from 'typebox';
import { formatId } from '../../contract/ids.ts';
import {
  CONSUMER_COUNT_MAX,
  CONSUMER_DEFAULT_TRIES,
  CONSUMER_TRIES_MAX,
  CONSUMER_TYPES_MAX,
  CONSUMER_UNACKNOWLEDGED_MAX,
  PLACE_MAX_CHARS,
  SEGMENT_MAX_CHARS,
  TYPE_MAX_CHARS,
} from '../../contract/limits.ts';
import { closed, endsEarly, pageSchema, pagingFields } from '../../contract/paging.ts';
import { POSITIONS_PER_MS } from '../../contract/positions.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { jsonPage } from '../../http/json-page.ts';
import { typesOf } from '../webhooks/webhook-fields.ts';
import { bodyErrors, idsField, nameParams, outcomeSchema } from './consumer-schema.ts';
import {
  type ConsumerServices,
  deleteConsumer,
  getConsumer,
  listConsumers,
  listParked,
  type ParkedMessage,
  putConsumer,
  type Shown,
  seek as seekTo,
  unpark as unparkMessages,
} from './consumers.ts';

const { endpoint } = endpointsFor<ConsumerServices>();

const place = (description: string) => Type.String({ minLength: 1, maxLength: PLACE_MAX_CHARS, description });
const time = (description: string) => Type.String({ format: 'date-time', description });

const filter = Type.Object(
  {
    types: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: TYPE_MAX_CHARS }), {
        minItems: 1,
        maxItems: CONSUMER_TYPES_MAX,
        description: 'Only messages with one of these types, such as `invoice` or `order.*`.',
      }),
    ),
    target: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2 * SEGMENT_MAX_CHARS + 8,
        description: 'Only messages addressed to this segment of your business.',
      }),
    ),
    validation: Type.Optional(
      Type.Enum(['passed', 'failed', 'not_applicable'], { description: 'Only messages with this result of your inbox schema.' }),
    ),
  },
  { ...closed, description: 'A message must meet all of it; `{}` takes every message of your inbox.' },
);

const ConsumerSchema = Type.Object(
  {
    name: Type.String(),
    filter,
    ordered: Type.Boolean({ description: 'Whether messages of a thread are leased one at a time, in order of delivery.' }),
    max_tries: Type.Integer({ description: 'Leases after which a message that nobody has acknowledged is parked.' }),
    position: Type.String({ description: 'Up to this position of your inbox, the consumer has taken messages.' }),
    lag: Type.Integer({
      description: `Messages behind the position that it has yet to take, among the next ${CONSUMER_COUNT_MAX} messages of your inbox.`,
    }),
    leased: Type.Integer({ description: `Messages that workers hold, counted up to ${CONSUMER_COUNT_MAX}.` }),
    parked: Type.Integer({ description: `Parked messages, counted up to ${CONSUMER_COUNT_MAX}.` }),
    oldest_unacknowledged_at: Type.Union([time('When the oldest message came that is neither acknowledged nor parked.'), Type.Null()]),
    holders: Type.Array(
      Type.Object(
        {
          holder: Type.String({ description: 'The name that the worker gave, or the id of its agent or member.' }),
          leased: Type.Integer(),
          lease_until: time('When the last of its leases lapses.'),
        },
        closed,
      ),
      { description: 'The workers that hold messages.' },
    ),
    created_at: time('When it was created.'),
  },
  { $id: 'Consumer', ...closed },
);

const ParkedMessageSchema = Type.Object(
  {
    message_id: Type.String({ description: 'msg_ id' }),
    tries: Type.Integer({ description: 'How often it was leased.' }),
    reason: Type.Union([Type.String(), Type.Null()], { description: 'Why a worker released it last.' }),
    parked_at: time('When it was parked.'),
  },
  { $id: 'ParkedMessage', ...closed },
);

export const list = endpoint({
  summary: 'List the consumers of your business',
  query: Type.Object(pagingFields, closed),
  success: { status: 200, description: endsEarly('A page of consumers, by name.'), schema: pageSchema(ConsumerSchema) },
  errors: ['validation_error'],
  handle: async (context, call) => ({
    body: await jsonPage(await listConsumers(context, call.caller.business, call.query, call.spend), consumerView, call),
  }),
});

export const put = endpoint({
  summary: 'Create or change a consumer',
  description: `A consumer hands out the messages of your inbox to workers that ask for them. The same request again changes nothing, so that each worker can make it when it starts. Fields that are not given get their defaults. A changed filter holds for messages that the consumer has not taken yet. \`ordered\` can’t be changed. While ${CONSUMER_UNACKNOWLEDGED_MAX} messages are taken and not acknowledged, workers get no new ones.`,
  params: nameParams,
  body: Type.Object(
    {
      filter: Type.Optional(filter),
      start: Type.Optional(
        place(
          'Where a new consumer begins: `now` (the default), `beginning`, a position, or an ISO 8601 time. Ignored if the consumer exists: use seek.',
        ),
      ),
      ordered: Type.Optional(
        Type.Boolean({ description: 'Lease messages of a thread one at a time, in order of delivery. False by default.' }),
      ),
      max_tries: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: CONSUMER_TRIES_MAX,
          description: `Leases after which a message that nobody has acknowledged is parked; ${CONSUMER_DEFAULT_TRIES} by default.`,
        }),
      ),
    },
    closed,
  ),
  success: { status: 200, description: 'The consumer, as it is now.', schema: ConsumerSchema },
  also: [{ status: 201, description: 'The consumer is new.', schema: ConsumerSchema }],
  errors: [...bodyErrors, 'conflict'],
  handle: async (context, { caller, params, body }) => {
    const { consumer, isNew } = await putConsumer(context, caller.business, params.name, body);
    return { status: isNew ? 201 : 200, body: consumerView(consumer) };
  },
});

export const getOne = endpoint({
  summary: 'Get a consumer: its lag, its holders and its oldest message',
  params: nameParams,
  success: { status: 200, description: 'The consumer.', schema: ConsumerSchema },
  errors: ['not_found'],
  handle: async (context, { caller, params }) => ({ body: consumerView(await getConsumer(context, caller.business, params.name)) }),
});

export const remove = endpoint({
  summary: 'Delete a consumer',
  description: 'Messages stay in your inbox. What workers hold can’t be acknowledged any more.',
  params: nameParams,
  success: { status: 204, description: 'Deleted.' },
  errors: ['not_found', 'unsupported_media_type', 'json_too_large'],
  handle: async (context, { caller, params }) => {
    await deleteConsumer(context, caller.business, params.name);
    return {};
  },
});

export const seek = endpoint({
  summary: 'Move a consumer to another place in your inbox',
  description:
    'It goes on with the messages behind that place. What workers hold is forgotten, and comes again if it is behind the place. What is parked stays parked, unless it comes again.',
  params: nameParams,
  body: Type.Object({ position: place('`now`, `beginning`, a position, or an ISO 8601 time.') }, closed),
  success: { status: 200, description: 'The consumer, as it is now.', schema: ConsumerSchema },
  errors: [...bodyErrors, 'not_found'],
  handle: async (context, { caller, params, body }) => ({
    body: consumerView(await seekTo(context, caller.business, params.name, body.position)),
  }),
});

export const parked = endpoint({
  summary: 'List the parked messages of a consumer',
  description: 'Messages that workers leased as often as `max_tries` says, and never acknowledged. To drop them, acknowledge them.',
  params: nameParams,
  query: Type.Object(pagingFields, closed),
  success: {
    status: 200,
    description: 'A page of parked messages, in the order in which they were sent.',
    schema: pageSchema(ParkedMessageSchema),
  },
  errors: ['not_found', 'validation_error'],
  handle: async (context, { caller, params, query }) => {
    const { items, nextCursor } = await listParked(context, caller.business, params.name, query);
    return { body: { data: items.map(parkedView), next_cursor: nextCursor } };
  },
});

export const unpark = endpoint({
  summary: 'Put parked messages back',
  description: 'They can be leased again at once, and have all their tries.',
  params: nameParams,
  body: Type.Object({ ids: idsField }, closed),
  success: {
    status: 200,
    description: 'Put back.',
    schema: outcomeSchema('unparked', 'Messages that were parked and can be leased again.'),
  },
  errors: [...bodyErrors, 'not_found'],
  handle: async (context, { caller, params, body }) => {
    const { count, unknown } = await unparkMessages(context, caller.business, params.name, body.ids);
    return { body: { unparked: count, unknown } };
  },
});

function consumerView({ name, filter, isOrdered, maxTries, takenThrough, createdAt, state }: Shown) {
  const { oldest } = state;
  return {
    name,
    filter: {
      ...(filter.types && { types: typesOf(filter.types) }),
      ...(filter.target !== null && { target: filter.target }),
      ...(filter.validation && { validation: filter.validation }),
    },
    ordered: isOrdered,
    max_tries: maxTries,
    position: takenThrough,
    lag: state.lag,
    leased: state.leased,
    parked: state.parked,
    oldest_unacknowledged_at: oldest === undefined ? null : new Date(Number(oldest / POSITIONS_PER_MS)).toISOString(),
    holders: state.holders,
    created_at: createdAt.toISOString(),
  };
}

function parkedView({ messageId, tries, reason, parkedAt }: ParkedMessage) {
  return { message_id: formatId('msg', messageId), tries, reason, parked_at: parkedAt.toISOString() };
}
