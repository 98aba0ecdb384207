import { newNonce, timestampRequest, tokenIn } from '@waybill/proof';
import { TIMESTAMP_PATIENCE_MS, TIMESTAMP_RESPONSE_MAX_BYTES } from '../../contract/witness-limits.ts';
import { boundedFetch } from '../../platform/outbound/bounded-fetch.ts';

/** Returns a timestamp of the text, which the caller verifies. */
export async function askForTimestamp(url: string, text: string, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const nonce = newNonce();
  const {
    status,
    type,
    body: response,
  } = await boundedFetch(
    url,
    {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: await timestampRequest(new TextEncoder().encode(text), 'SHA-256', nonce),
    },
    { maxBytes: TIMESTAMP_RESPONSE_MAX_BYTES, patienceMs: TIMESTAMP_PATIENCE_MS, signal },
  );
  if (status !== 200) throw new Error(`the timestamp authority responded with ${status}`);
  if (!type?.toLowerCase().startsWith('application/timestamp-reply'))
    throw new Error(`the timestamp authority responded with the type ${type ?? 'none'}, not application/timestamp-reply`);
  return tokenIn(Uint8Array.from(response), nonce);
}
