import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { WaybillError } from '../../api/client.ts';
import { receiptProof } from '../../api/proofs.ts';
import type { AnyReceipt } from '../../api/schema.ts';
import type { ProofReport } from './verify-proof.ts';

/** pending: the log does not have the message yet. none: the message is older than the log. */
export type Proof = { kind: 'pending' } | { kind: 'none' } | { kind: 'checked'; text: string; report: ProofReport };
export type ProofQuery = UseQueryResult<Proof, Error>;

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

/** Loads the proof of a receipt and verifies it in the browser. Repeats while the log does not have the message yet. */
export function useProof(receipt: AnyReceipt): ProofQuery {
  return useQuery<Proof, Error>({
    queryKey: ['', 'proof', receipt.content_hash],
    queryFn: ({ signal }) => readProof(receipt, signal),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.kind === 'pending' ? Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * dataUpdateCount) : false,
    retry: (failures, error) => failures < 3 && error instanceof WaybillError && (error.status === 0 || error.status >= 500),
  });
}

async function readProof(receipt: AnyReceipt, signal: AbortSignal): Promise<Proof> {
  try {
    const token = receipt.receipt_url.split('/').at(-1) ?? '';
    const text = await receiptProof(token, 'detail' in receipt, signal);
    if (text === undefined) return { kind: 'pending' };
    // Loaded on demand: the receipt is shown before its proof is verified.
    const { verifyProofOf } = await import('./verify-proof.ts');
    return { kind: 'checked', text, report: await verifyProofOf(receipt, text, signal) };
  } catch (error) {
    if (error instanceof WaybillError && error.code === 'not_logged') return { kind: 'none' };
    throw error;
  }
}
