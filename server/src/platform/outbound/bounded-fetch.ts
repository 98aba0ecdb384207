interface BoundedResponse {
  status: number;
  type: string | null;
  body: Buffer;
}

interface FetchBounds {
  maxBytes: number;
  /** The time limit of the whole request, from the DNS look-up to the last byte of the body. */
  patienceMs: number;
  signal?: AbortSignal;
}

/** Sends a request to an address that the operator chose. Redirects are not followed, and a body that is too long is an error. */
export async function boundedFetch(
  url: string,
  init: RequestInit,
  { maxBytes, patienceMs, signal }: FetchBounds,
): Promise<BoundedResponse> {
  const patience = AbortSignal.timeout(patienceMs);
  const response = await fetch(url, { ...init, redirect: 'manual', signal: signal ? AbortSignal.any([patience, signal]) : patience });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the response has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return { status: response.status, type: response.headers.get('content-type'), body: Buffer.concat(chunks) };
}
