import { Type } from 'typebox';
import { publicEndpoint } from '../../context.ts';
import { type Receipt, ReceiptSchema } from '../../contract/envelope.ts';
import { Refusal } from '../../contract/errors.ts';
import { parseReceiptToken } from '../../contract/ids.ts';
import { HTML_TYPE } from '../../http/page.ts';
import { receiptJson } from '../messages/envelope.ts';
import { findReceipt } from '../messages/read-messages.ts';
import { noReceiptPage, receiptPage } from './page.ts';

const params = Type.Object({ token: Type.String({ description: 'rcpt_ token' }) });

export const getOne = publicEndpoint({
  summary: 'A public receipt',
  params,
  success: { status: 200, description: 'The envelope without json and download URLs.', schema: ReceiptSchema },
  errors: ['not_found'],
  handle: async (context, call) => {
    const message = await findReceipt(context, parseReceiptToken(call.params.token));
    if (!message) throw new Refusal('not_found', 'There is no such receipt.');
    return { body: receiptJson(message, context.publicUrl) };
  },
});

export const page = publicEndpoint({
  summary: 'The receipt as a page for people',
  params,
  success: { status: 200, description: 'HTML.', contentType: HTML_TYPE },
  errors: ['not_found'],
  handle: async (context, call) => {
    const message = await findReceipt(context, parseReceiptToken(call.params.token));
    return message ? receiptPage(JSON.parse(receiptJson(message, context.publicUrl)) as Receipt) : noReceiptPage();
  },
});
