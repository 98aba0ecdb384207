import { proofIn, readProof } from '../../../packages/client/src/proof.ts';
import { transport } from './client.ts';

/** The public proof of a receipt: the bundle, or for minimal receipts the proof of the hash alone. Undefined: the log does not have it yet. */
export async function receiptProof(token: string, isMinimal: boolean, signal: AbortSignal): Promise<string | undefined> {
  const query = { format: isMinimal ? 'tlog-proof' : 'bundle' };
  const proof = await transport.request('GET /v1/receipts/{token}/proof', { path: { token }, query }, { signal }, proofIn);
  return typeof proof === 'string' ? proof : undefined;
}

export const messageProof = (id: string): Promise<string> => readProof(transport, 'GET /v1/messages/{id}/proof', { path: { id } }, {});
