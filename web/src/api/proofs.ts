import { textOf } from './client.ts';

export const PENDING = Symbol('not in the log yet');

const WAIT_MS = 1_000;
const TRIES = 60;

/** The public proof of a receipt: the bundle, or for minimal receipts the proof of the hash alone. */
export async function receiptProof(token: string, isMinimal: boolean, signal: AbortSignal): Promise<string | typeof PENDING> {
  const format = isMinimal ? 'tlog-proof' : 'bundle';
  return proofIn(await textOf('GET /v1/receipts/{token}/proof', { path: { token }, query: { format } }, { signal }));
}

export async function messageProof(id: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    const proof = proofIn(await textOf('GET /v1/messages/{id}/proof', { path: { id } }));
    if (proof !== PENDING) return proof;
    if (tries === TRIES) throw new Error('The message is not in the log yet. Try again later.');
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
}

/** Only the body of a 202 begins like this: bundles begin with their format. */
function proofIn(text: string): string | typeof PENDING {
  return text.startsWith('{"status":"pending"') ? PENDING : text;
}
