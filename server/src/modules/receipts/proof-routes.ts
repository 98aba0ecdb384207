import { Type } from 'typebox';
import { Refusal } from '../../contract/errors.ts';
import { formatId, parseReceiptToken } from '../../contract/ids.ts';
import { closed } from '../../contract/paging.ts';
import { PendingProofSchema, ProofSchema } from '../../contract/proofs.ts';
import { endpointsFor, type HttpResponse } from '../../http/endpoint.ts';
import type { StoredMessage } from '../messages/envelope.ts';
import { findReceipt, getSent } from '../messages/read-messages.ts';
import { type BundleServices, bundleOf } from './bundle.ts';
import { PENDING, proofOf } from './proof.ts';

const { endpoint, publicEndpoint } = endpointsFor<BundleServices>();

const PROOF_TYPE = 'text/plain; charset=utf-8';
const BUNDLE_TYPE = 'application/vnd.waybill.proof+json; charset=utf-8';
const RETRY_AFTER_S = 1;

const pending = {
  status: 202,
  description: 'The message is not in a checkpoint of the log yet. Ask again after `Retry-After` seconds.',
  schema: PendingProofSchema,
};

export const ofReceipt = publicEndpoint({
  summary: 'Get the public proof of a receipt',
  isCrossOrigin: true,
  description:
    'Proves that the `content_hash` of the receipt is in the log of this service, to anybody who has the receipt: an inclusion proof and a signed checkpoint, in the format tlog-proof of C2SP. With `format=bundle`, the envelope is in it, too, so that the file alone verifies; not if the receipt is minimal.',
  params: Type.Object({ token: Type.String({ description: 'rcpt_ token' }) }),
  query: Type.Object({ format: Type.Optional(Type.Enum(['tlog-proof', 'bundle'], { description: 'tlog-proof by default.' })) }, closed),
  success: { status: 200, description: 'The proof.', contentType: PROOF_TYPE, otherContentType: BUNDLE_TYPE, schema: ProofSchema },
  also: [pending],
  errors: ['not_found', 'not_logged', 'forbidden'],
  handle: async (context, { params, query: { format = 'tlog-proof' } }) => {
    const found = await findReceipt(context, parseReceiptToken(params.token));
    if (!found) throw new Refusal('not_found', 'The receipt was not found.');
    const { message, detail } = found;
    if (format === 'tlog-proof') return download(message, await proofOf(context, found), 'tlog-proof', PROOF_TYPE);
    if (detail === 'minimal')
      throw new Refusal('forbidden', 'The sender shows a minimal receipt: only the parties can get the envelope. Ask for the tlog-proof.');
    return download(message, await bundleOf(context, found, 'public'), 'waybill-proof', BUNDLE_TYPE);
  },
});

export const ofMessage = endpoint({
  summary: 'Get the proof of a message',
  description:
    'A file to keep: everything that proves the message without the service. It has the envelope, the `json` unless `contents=false`, the inclusion proof with a signed checkpoint, and what the log has by then of signatures, acknowledgements and timestamps. Files are in it by their hashes. docs/proof.md describes the format.',
  params: Type.Object({ id: Type.String({ description: 'msg_ id' }) }),
  query: Type.Object(
    {
      contents: Type.Optional(
        Type.Boolean({
          description:
            'Whether the `json` is in it; true by default. Without it, the signature of the sender is left out, too: it is of a request that has the `json`.',
        }),
      ),
    },
    closed,
  ),
  success: { status: 200, description: 'The proof.', contentType: BUNDLE_TYPE, schema: ProofSchema },
  also: [pending],
  errors: ['not_found', 'not_logged'],
  handle: async (context, { caller, params, query: { contents = true }, reserve, spend }) => {
    const sent = await getSent(context, caller.business, params.id);
    const { message } = sent;
    reserve(message.json?.length ?? 0);
    const reader = { partyId: caller.business.id, withJson: contents, spend };
    return download(message, await bundleOf(context, sent, reader), 'waybill-proof', BUNDLE_TYPE);
  },
});

/** The file is named after the message, because the receipt's token is only for those who got its link. */
function download({ id }: StoredMessage, proof: string | typeof PENDING, ending: string, type: string): HttpResponse {
  if (proof === PENDING)
    return {
      status: 202,
      headers: { 'retry-after': String(RETRY_AFTER_S) },
      body: { status: 'pending', retry_after_s: RETRY_AFTER_S },
    };
  const name = `${formatId('msg', id)}.${ending}`;
  return { headers: { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` }, body: proof };
}
