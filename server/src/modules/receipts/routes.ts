import { Type } from 'typebox';
import { AnyReceiptSchema } from '../../contract/envelope.ts';
import { Refusal } from '../../contract/errors.ts';
import { parseReceiptToken } from '../../contract/ids.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { minimalReceiptJson, receiptJson } from '../messages/envelope.ts';
import { findReceipt, type ReadServices } from '../messages/read-messages.ts';

const { publicEndpoint } = endpointsFor<ReadServices & { publicUrl: string }>();

export const getOne = publicEndpoint({
  summary: 'Get a public receipt',
  isCrossOrigin: true,
  description:
    'Everybody with the link can see it. A business can choose that the receipts of its messages show only parties, time and hashes: then `detail` is `minimal`.',
  params: Type.Object({ token: Type.String({ description: 'rcpt_ token' }) }),
  success: {
    status: 200,
    description: 'The envelope without json and download URLs, or as much of it as the sender shows.',
    schema: AnyReceiptSchema,
  },
  errors: ['not_found'],
  handle: async (context, call) => {
    const found = await findReceipt(context, parseReceiptToken(call.params.token));
    if (!found) throw new Refusal('not_found', 'The receipt was not found.');
    const json = found.detail === 'minimal' ? minimalReceiptJson : receiptJson;
    return { headers: { 'x-robots-tag': 'noindex' }, body: json(found.message, context.publicUrl) };
  },
});
