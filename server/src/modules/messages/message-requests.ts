import { Type } from 'typebox';
import { EnvelopeSchema } from '../../contract/envelope.ts';
import { type ErrorCode, invalid, Refusal } from '../../contract/errors.ts';
import { IDEMPOTENCY_KEY_MAX_CHARS, IDEMPOTENCY_WINDOW_HOURS } from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import type { Call, HttpResponse } from '../../http/endpoint.ts';
import { checkSignature, refuseSignature, type SignatureServices, signatureOfMessage } from '../signatures/check-signature.ts';
import { type EnvelopeServices, envelopeOf } from './envelopes.ts';
import { readFormSendRequest } from './form-send-request.ts';
import { type PromiseServices, withPromise } from './promise-requests.ts';
import { type Sender, type SendServices, sendMessage } from './send-message.ts';
import { FormSchema, parseSendRequest, type SendRequest, SendRequestSchema } from './send-request.ts';

const FORM = /^multipart\/form-data\b/i;
export const IDEMPOTENCY_KEY = new RegExp(`^[!-~]{1,${IDEMPOTENCY_KEY_MAX_CHARS}}$`);

/** HTTP Message Signatures of an agent (RFC 9421), for JSON bodies. */
export const signatureHeaders = {
  'Content-Digest': Type.Optional(
    Type.String({ description: '`sha-256=:<base64>:`, the digest of the body. Required with a signature (RFC 9530).' }),
  ),
  'Signature-Input': Type.Optional(
    Type.String({
      description:
        'What an agent’s signature covers (RFC 9421): `"@method" "@path" "@authority" "content-digest"`, and those of the headers Idempotency-Key, Waybill-Recipient and Waybill-Files that the request has, with `created`, `keyid` (the sgk_ id of a signing key), `alg="ed25519"` and `nonce` (16 to 64 characters of base64url, other ones for each request). Without `"@authority"`, Waybill-Recipient, Waybill-Files or a nonce, less is proven.',
    }),
  ),
  Signature: Type.Optional(Type.String({ description: 'The signature, `<label>=:<base64>:`. Only together with Signature-Input.' })),
};

/** What the signature of a send covers beside its body. */
const coveredHeaders = {
  'Waybill-Recipient': Type.Optional(
    Type.String({
      description:
        'Of a signed request: who is to get the message, for replies, too. The handle without its segment, or the domain or mail address of the party, in lower case; other characters than visible ASCII, and `%`, are percent-encoded.',
    }),
  ),
  'Waybill-Files': Type.Optional(
    Type.String({
      description: 'Of a signed request with files: `sha256:<hex>` of a text that has, for each file in order, a line `sha256:<hex>`.',
    }),
  ),
};

export const sendShape = {
  headers: Type.Object({
    'Idempotency-Key': Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: IDEMPOTENCY_KEY_MAX_CHARS,
        description: `Makes a repeat harmless: within ${IDEMPOTENCY_WINDOW_HOURS} hours the same key returns the original envelope with the header Idempotent-Replayed: true, whatever the body; Idempotent-Body-Differs: true says that the body is another than the first one.`,
      }),
    ),
    ...signatureHeaders,
    ...coveredHeaders,
  }),
  body: SendRequestSchema,
  atLeastOneOf: ['to', 'in_reply_to'],
  form: FormSchema,
  readsRawBody: true,
  judgesRefusedBody: true,
  streams: 'multipart/form-data',
  success: { status: 201, description: 'Delivered.', schema: EnvelopeSchema },
  errors: [
    'validation_error',
    'party_required',
    'invalid_signature',
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
    'conflict',
  ] satisfies ErrorCode[],
};

export type SendingServices = SendServices & EnvelopeServices & SignatureServices & PromiseServices;

/** Without a caller, a person sends, who has no key to sign with, and gets no promise. */
export async function handleSend(context: SendingServices, sender: Sender, call: Call, caller?: Caller): Promise<HttpResponse> {
  const { rawBody, request, refusedBody, spend } = call;
  const key = idempotencyKeyOf(request.headers['idempotency-key']);
  const isForm = FORM.test(request.headers['content-type'] ?? '');
  const readRequest = async (): Promise<SendRequest> => {
    if (refusedBody) throw refusedBody;
    if (isForm) refuseSignature(request, 'A form can’t be signed. Send JSON, and files as uploads.');
    if (isForm) {
      const read = await readFormSendRequest(request.raw, context.files, sender.party);
      // Quotas count the files of a form, and its other fields are small.
      spend({ bytes: read.json?.length ?? 0 });
      return read;
    }
    if (!caller) refuseSignature(request, 'Only an agent can sign a message, with its API key.');
    const signed = caller && (await checkSignature(context, caller, request, rawBody));
    const read = parseSendRequest(rawBody);
    if (read.acknowledge) refuseUnableToAcknowledge(caller, signed !== undefined);
    return signed ? { ...read, signature: signatureOfMessage(signed, read.json) } : read;
  };
  const sent = await sendMessage(context, { ...sender, spend }, readRequest, key);
  const { message, isReplayed, differs } = sent;
  const headers = { ...(isReplayed && { 'idempotent-replayed': 'true' }), ...(differs && { 'idempotent-body-differs': 'true' }) };
  const response = { body: await envelopeOf(message, context, sender.party.id), headers };
  return caller ? withPromise(context, call, sender.party.id, sent, response) : response;
}

function refuseUnableToAcknowledge(caller: Caller | undefined, isSigned: boolean): void {
  if (!caller) throw invalid([{ path: '/acknowledge', message: 'is for agents and members of a business' }]);
  if (isSigned)
    throw new Refusal(
      'invalid_signature',
      'The signature of a message signs no acknowledgement. Send and sign it on its own: POST /v1/messages/{id}/acknowledge.',
    );
}

export function idempotencyKeyOf(header: string | string[] | undefined, maxChars = IDEMPOTENCY_KEY_MAX_CHARS): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && header.length <= maxChars && IDEMPOTENCY_KEY.test(header)) return header;
  throw invalid([{ path: '/Idempotency-Key', message: `must be 1 to ${maxChars} visible ASCII characters` }]);
}
