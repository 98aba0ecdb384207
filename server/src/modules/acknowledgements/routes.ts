import { Type } from 'typebox';
import { AcknowledgementSchema, HandOverSchema, NonDeliverySchema, saidFields } from '../../contract/acknowledgements.ts';
import { Refusal } from '../../contract/errors.ts';
import { parseId } from '../../contract/ids.ts';
import { CHAIN_MAX_LINKS } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { signatureHeaders } from '../messages/message-requests.ts';
import { checkSignature, type SignatureServices } from '../signatures/check-signature.ts';
import type { SignedRequest } from '../signatures/signed-request.ts';
import { acknowledge as acknowledgeMessage, type Expected } from './acknowledge.ts';
import { acknowledgementParts, acknowledgementsOf, acknowledgementView, nextNumber, requireMessage, takingOf } from './acknowledgements.ts';

const { endpoint } = endpointsFor<SignatureServices>();

const params = Type.Object({ id: Type.String({ description: 'msg_ id' }) });

const RequestSchema = Type.Object(
  {
    ...saidFields,
    content_hash: Type.Optional(
      Type.Union([Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }), Type.Null()], {
        description:
          'That of the message. If it has another one, it is not acknowledged. Required in a request whose signature covers `@authority`.',
      }),
    ),
    number: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: CHAIN_MAX_LINKS }), Type.Null()], {
        description:
          '`next_number` of the list. If something was said of the message meanwhile, the request gets 409. Required like `content_hash`. A repeat has the number of what it repeats.',
      }),
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
  handle: async (context, { caller, params, body: { status, reason = null, content_hash, number }, rawBody, request }) => {
    const { database } = context;
    const signed = await checkSignature(context, caller, request, rawBody);
    const expected = { contentHash: content_hash ?? undefined, number: number ?? undefined };
    if (signed && coversService(signed)) requireExpected(expected);
    const { record, isRepeat } = await acknowledgeMessage(database, caller, uuidOf(params.id), { status, reason, ...expected }, signed);
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
    schema: Type.Object(
      {
        data: Type.Array(AcknowledgementSchema),
        handed_over: Type.Union([HandOverSchema, Type.Null()]),
        expired: Type.Union([NonDeliverySchema, Type.Null()]),
        next_number: Type.Integer({ description: 'The `number` of the next acknowledgement.' }),
      },
      closed,
    ),
  },
  errors: ['not_found'],
  handle: async ({ database }, { caller: { business }, params }) => {
    const messageId = uuidOf(params.id);
    await requireMessage(database, business.id, messageId);
    const taking = await takingOf(database, messageId, business.id);
    const said = await acknowledgementsOf(database, messageId, business.id);
    const { handOver, nonDelivery } = taking;
    return {
      body: {
        data: said.map(acknowledgementView),
        handed_over: handOver ? { way: handOver.way, at: handOver.at.toISOString(), number: handOver.number } : null,
        expired: nonDelivery ? { at: nonDelivery.at.toISOString(), number: nonDelivery.number } : null,
        next_number: nextNumber(taking, said),
      },
    };
  },
});

/** A signature that names the service is in the new form, in which it names the content and its place in the chain as well. */
function coversService({ components }: SignedRequest): boolean {
  return Object.hasOwn(JSON.parse(components), '@authority');
}

function requireExpected({ contentHash, number }: Expected): void {
  if (contentHash === undefined || number === undefined)
    throw new Refusal('invalid_signature', 'A signed acknowledgement that covers @authority has content_hash and number in its body.');
}

function uuidOf(id: string): string {
  const uuid = parseId('msg', id);
  if (uuid === undefined) throw new Refusal('not_found', 'The message was not found.');
  return uuid;
}
