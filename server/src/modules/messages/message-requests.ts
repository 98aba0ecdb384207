import { Type } from 'typebox';
import { EnvelopeSchema } from '../../contract/envelope.ts';
import { type ErrorCode, invalid } from '../../contract/errors.ts';
import { IDEMPOTENCY_KEY_MAX_CHARS, IDEMPOTENCY_WINDOW_HOURS } from '../../contract/limits.ts';
import type { Call, HttpResponse } from '../../http/endpoint.ts';
import { type EnvelopeServices, envelopeOf } from './envelopes.ts';
import { readFormSendRequest } from './form-send-request.ts';
import { type Sender, type SendServices, sendMessage } from './send-message.ts';
import { FormSchema, parseSendRequest, SendRequestSchema } from './send-request.ts';

const FORM = /^multipart\/form-data\b/i;
const IDEMPOTENCY_KEY = new RegExp(`^[!-~]{1,${IDEMPOTENCY_KEY_MAX_CHARS}}$`);

/** Message requests of a business and of a drop page have the same form. */
export const sendShape = {
  headers: Type.Object({
    'Idempotency-Key': Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: IDEMPOTENCY_KEY_MAX_CHARS,
        description: `Makes a repeat harmless: within ${IDEMPOTENCY_WINDOW_HOURS} hours the same key returns the original envelope with the header Idempotent-Replayed: true.`,
      }),
    ),
  }),
  body: SendRequestSchema,
  atLeastOneOf: ['to', 'in_reply_to'],
  form: FormSchema,
  readsRawBody: true,
  streams: 'multipart/form-data',
  success: { status: 201, description: 'Delivered.', schema: EnvelopeSchema },
  errors: [
    'validation_error',
    'party_required',
    'invalid_json',
    'json_too_large',
    'unsupported_media_type',
    'not_found',
    'unknown_recipient',
    'reply_unaddressable',
    'reply_recipient_mismatch',
    'file_too_large',
    'upload_not_found',
    'upload_incomplete',
    'sender_blocked',
    'quota_exceeded',
  ] satisfies ErrorCode[],
};

/** The services that a message request needs. */
export type SendingServices = SendServices & EnvelopeServices;

export async function handleSend(context: SendingServices, sender: Sender, { rawBody, request }: Call): Promise<HttpResponse> {
  const key = idempotencyKeyOf(request.headers['idempotency-key']);
  const isForm = FORM.test(request.headers['content-type'] ?? '');
  const readRequest = () => (isForm ? readFormSendRequest(request.raw, context.files, sender.party) : parseSendRequest(rawBody));
  const { message, isReplayed } = await sendMessage(context, sender, readRequest, key);
  return { body: await envelopeOf(message, context), ...(isReplayed && { headers: { 'idempotent-replayed': 'true' } }) };
}

function idempotencyKeyOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && IDEMPOTENCY_KEY.test(header)) return header;
  throw invalid([{ path: '/Idempotency-Key', message: `must be 1 to ${IDEMPOTENCY_KEY_MAX_CHARS} visible ASCII characters` }]);
}
