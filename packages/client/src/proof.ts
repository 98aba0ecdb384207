import { errorOf, WaybillError } from './errors.ts';
import { pause } from './pause.ts';
import { type Input, type RequestOptions, type Transport, textIn } from './transport.ts';

export interface ProofOptions extends RequestOptions {
  /** Whether the proof has the JSON of the message in it. The default is true. */
  contents?: boolean | undefined;
}

export interface ReceiptProofOptions extends RequestOptions {
  /** `tlog-proof`, the default, needs the receipt beside it. `bundle` has the envelope in it. A minimal receipt has no bundle. */
  format?: 'tlog-proof' | 'bundle' | undefined;
}

type ProofOperation = 'GET /v1/messages/{id}/proof' | 'GET /v1/receipts/{token}/proof';

/** A message is in the log within seconds. */
const WAIT_MAX_MS = 60_000;

/** Reads a proof, and waits while the log does not have the message yet: the service responds with 202 until then. */
export async function readProof(transport: Transport, operation: ProofOperation, input: Input, options: RequestOptions): Promise<string> {
  const giveUpAt = Date.now() + WAIT_MAX_MS;
  for (;;) {
    const read = await transport.request(operation, input, options, proofIn);
    if (typeof read === 'string') return read;
    if (Date.now() > giveUpAt)
      throw new WaybillError('timed_out', 'The log does not have the message yet. Try again later.', { status: 202 });
    await pause(read.retryAfterS * 1_000, options.signal);
  }
}

/** The proof, or how long to wait for it. */
export async function proofIn(response: Response, signal: AbortSignal): Promise<string | { retryAfterS: number }> {
  const text = await textIn(response, signal);
  if (response.status === 202) return { retryAfterS: Number(response.headers.get('retry-after') ?? 1) || 1 };
  // A proxy may have responded in place of the service.
  if (text.startsWith('c2sp.org/tlog-proof@v1\n') || text.startsWith('{')) return text;
  throw errorOf(response, '');
}
