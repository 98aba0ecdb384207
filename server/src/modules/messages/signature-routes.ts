import { Type } from 'typebox';
import { Refusal } from '../../contract/errors.ts';
import { parseReceiptToken } from '../../contract/ids.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { ReceiptSignatureSchema, receiptSignatureView, SignatureSchema, signatureView } from '../signatures/signature-schema.ts';
import { type SignatureParts, signatureOf } from '../signatures/signatures.ts';
import { findReceipt, getMessage, type ReadServices, senderOf } from './read-messages.ts';

const { endpoint, publicEndpoint } = endpointsFor<ReadServices>();

export const ofMessage = endpoint({
  summary: 'Get the signature of a message',
  description: 'Both parties of a message that was signed get all that it takes to check the signature again.',
  params: Type.Object({ id: Type.String({ description: 'msg_ id' }) }),
  success: { status: 200, description: 'The signature.', schema: SignatureSchema },
  errors: ['not_found'],
  handle: async (context, { caller: { business }, params, reserve }) => {
    const { id, json } = await getMessage(context, business, params.id);
    const senderId = await senderOf(context, business, id);
    const body = signatureView(required(senderId && (await signatureOf(context.database, senderId, id, json))));
    reserve(body.body.length);
    return { body };
  },
});

export const ofReceipt = publicEndpoint({
  summary: 'Get the signature of a public receipt',
  isCrossOrigin: true,
  description: 'Whose key signed the message, and when. Its parties get the signature itself.',
  params: Type.Object({ token: Type.String({ description: 'rcpt_ token' }) }),
  success: { status: 200, description: 'The key and the time.', schema: ReceiptSignatureSchema },
  errors: ['not_found'],
  handle: async (context, { params }) => {
    const found = await findReceipt(context, parseReceiptToken(params.token));
    const parts = found && (await signatureOf(context.database, found.senderId, found.message.id, null));
    return { body: receiptSignatureView(required(parts)) };
  },
});

function required(parts: SignatureParts | 0n | undefined): SignatureParts {
  if (!parts) throw new Refusal('not_found', 'The message was not found, or was not signed.');
  return parts;
}
