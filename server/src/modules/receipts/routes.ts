import { Type } from 'typebox';
import { publicEndpoint } from '../../context.ts';
import { ReceiptSchema } from '../../contract/envelope.ts';
import { Refusal } from '../../contract/errors.ts';
import { parseReceiptToken } from '../../contract/ids.ts';
import { receiptJson } from '../messages/envelope.ts';
import { findReceipt } from '../messages/read-messages.ts';

export const getOne = publicEndpoint({
  summary: 'A public receipt',
  isCrossOrigin: true,
  params: Type.Object({ token: Type.String({ description: 'rcpt_ token' }) }),
  success: { status: 200, description: 'The envelope without json and download URLs.', schema: ReceiptSchema },
  errors: ['not_found'],
  handle: async (context, call) => {
    const message = await findReceipt(context, parseReceiptToken(call.params.token));
    if (!message) throw new Refusal('not_found', 'There is no such receipt.');
    return { body: receiptJson(message, context.publicUrl) };
  },
});
