import { Type } from 'typebox';
import { AcknowledgementSchema, acknowledgementStatus, HandOverSchema } from '../../contract/acknowledgements.ts';
import { Refusal } from '../../contract/errors.ts';
import { parseId } from '../../contract/ids.ts';
import { ACKNOWLEDGEMENT_REASON_MAX_CHARS } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { signatureHeaders } from '../messages/message-requests.ts';
import { checkSignature } from '../signatures/check-signature.ts';
import { acknowledge as acknowledgeMessage } from './acknowledge.ts';
import { acknowledgementParts, acknowledgementsOf, acknowledgementView, requireMessage } from './acknowledgements.ts';
import { findHandOver } from './hand-over-store.ts';

const { endpoint } = endpointsFor<{ database: Database }>();

const params = Type.Object({ id: Type.String({ description: 'msg_ id' }) });

const RequestSchema = Type.Object(
  {
    status: acknowledgementStatus,
    reason: Type.Optional(
      Type.Union([Type.String({ maxLength: ACKNOWLEDGEMENT_REASON_MAX_CHARS }), Type.Null()], { description: 'A text for the sender.' }),
    ),
  },
  { $id: 'AcknowledgementRequest', ...closed },
);

export const acknowledge = endpoint({
  summary: 'Acknowledge a received message',
  description:
    'Tells the sender what becomes of a message in your inbox, and puts it into the log. A message that is `accepted` can be `processed` or `rejected` later; these are final. The same again returns what was said first. An agent with a signing key can sign the request.',
  params,
  headers: Type.Object(signatureHeaders),
  body: RequestSchema,
  success: { status: 201, description: 'Both parties have the acknowledgement.', schema: AcknowledgementSchema },
  also: [{ status: 200, description: 'The same was said before.', schema: AcknowledgementSchema }],
  errors: ['not_found', 'validation_error', 'invalid_signature', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'conflict'],
  handle: async ({ database }, { caller, params, body: { status, reason = null }, rawBody, request }) => {
    const signed = await checkSignature(database, caller, request, rawBody);
    const { record, isRepeat } = await acknowledgeMessage(database, caller, uuidOf(params.id), { status, reason }, signed);
    return { status: isRepeat ? 200 : 201, body: acknowledgementView(await acknowledgementParts(database, record)) };
  },
});

export const list = endpoint({
  summary: 'List the acknowledgements of a message',
  params,
  success: {
    status: 200,
    description:
      'What the recipient has said of the message, the oldest first, and whether a system of the recipient took it. Both parties see it.',
    schema: Type.Object({ data: Type.Array(AcknowledgementSchema), handed_over: Type.Union([HandOverSchema, Type.Null()]) }, closed),
  },
  errors: ['not_found'],
  handle: async ({ database }, { caller: { business }, params }) => {
    const messageId = uuidOf(params.id);
    await requireMessage(database, business.id, messageId);
    const [said, handOver] = await Promise.all([
      acknowledgementsOf(database, messageId, business.id),
      findHandOver(database, business.id, messageId),
    ]);
    return {
      body: { data: said.map(acknowledgementView), handed_over: handOver ? { way: handOver.way, at: handOver.at.toISOString() } : null },
    };
  },
});

function uuidOf(id: string): string {
  const uuid = parseId('msg', id);
  if (uuid === undefined) throw new Refusal('not_found', 'The message was not found.');
  return uuid;
}
