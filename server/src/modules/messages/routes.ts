import { Type } from 'typebox';
import { EnvelopeSchema, SentEnvelopeSchema, SummarySchema } from '../../contract/envelope.ts';
import { PLACE_MAX_CHARS } from '../../contract/limits.ts';
import { closed, endsEarly, pageSchema, pagingFields } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { envelopeOf } from './envelopes.ts';
import { handleSend, type SendingServices, sendShape } from './message-requests.ts';
import { pageBody, reserveLarge } from './page-body.ts';
import { preferHeader } from './promise-requests.ts';
import { getMessage, listMessages, type ReadServices } from './read-messages.ts';

const { endpoint } = endpointsFor<SendingServices & ReadServices>();

export const send = endpoint({
  summary: 'Send a message, or reply to one',
  description:
    'A 201 means that the message is durable in your outbox and in the recipient’s inbox. To reply, give `in_reply_to`: the recipient is then the other party of that message.',
  ...sendShape,
  headers: Type.Object({ ...sendShape.headers.properties, Prefer: preferHeader }),
  success: { status: 201, description: 'Delivered.', schema: SentEnvelopeSchema },
  handle: (context, call) => handleSend(context, { party: call.caller.business, actor: call.caller.actor }, call, call.caller),
});

export const getOne = endpoint({
  summary: 'Get a message',
  params: Type.Object({ id: Type.String({ description: 'msg_ id' }) }),
  success: { status: 200, description: 'The message.', schema: EnvelopeSchema },
  errors: ['not_found'],
  handle: async (context, { caller, params, reserve }) => {
    const body = await envelopeOf(await getMessage(context, caller.business, params.id), context, caller.business.id);
    reserveLarge(reserve, body);
    return { body };
  },
});

const pageFields = {
  ...pagingFields,
  include: Type.Optional(
    Type.Enum(['summary'], { description: 'summary: messages without `json`, with its size in `json_bytes` instead.' }),
  ),
};
const listed = Type.Union([EnvelopeSchema, SummarySchema], { description: 'A message; with `include=summary`, its summary.' });
const PAGE_DESCRIPTION = `${endsEarly('A page of messages.')} With filters that few messages of a long list meet, a page can be short, even empty, and still have a \`next_cursor\`.`;

const filterFields = {
  ...pageFields,
  since: Type.Optional(Type.String({ maxLength: PLACE_MAX_CHARS, description: 'Received at this time or later. ISO 8601.' })),
  until: Type.Optional(Type.String({ maxLength: PLACE_MAX_CHARS, description: 'Received before this time. ISO 8601.' })),
  from: Type.Optional(
    Type.String({ maxLength: 320, description: 'Sent by this handle or e-mail address; in the inbox also by this domain.' }),
  ),
  type: Type.Optional(Type.String({ maxLength: 1_000, description: 'Exactly this type.' })),
  validation: Type.Optional(Type.Enum(['passed', 'failed', 'not_applicable'])),
  thread: Type.Optional(Type.String({ maxLength: PLACE_MAX_CHARS, description: 'Of this thread only; a thr_ id.' })),
};

export const inbox = endpoint({
  summary: 'List received messages, newest first',
  description:
    'To poll, set `since` to the received_at of the newest message you have: you miss no message, and only messages of that very millisecond come again.',
  query: Type.Object(
    { ...filterFields, to: Type.Optional(Type.String({ maxLength: 128, description: 'Addressed to this segment of your business.' })) },
    closed,
  ),
  success: { status: 200, description: PAGE_DESCRIPTION, schema: pageSchema(listed) },
  errors: ['validation_error'],
  handle: async (context, call) => ({
    body: await pageBody(context, await listMessages(context, call.caller.business, 'in', call.query, call.spend), call),
  }),
});

export const outbox = endpoint({
  summary: 'List sent messages, newest first',
  query: Type.Object(filterFields, closed),
  success: { status: 200, description: PAGE_DESCRIPTION, schema: pageSchema(listed) },
  errors: ['validation_error'],
  handle: async (context, call) => ({
    body: await pageBody(context, await listMessages(context, call.caller.business, 'out', call.query, call.spend), call),
  }),
});
