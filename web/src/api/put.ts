import type { Fetch } from '../../../packages/client/src/transport.ts';

/** Browsers open six connections to a host, and the rest of the page needs some. */
const PUTS_AT_ONCE = 3;
let running = 0;
const queue: (() => void)[] = [];

export async function inTurn<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  if (running >= PUTS_AT_ONCE) await new Promise<void>((resolve) => queue.push(resolve));
  else running++;
  try {
    signal.throwIfAborted();
    return await run();
  } finally {
    const next = queue.shift();
    if (next) next();
    else running--;
  }
}

/** A fetch by XMLHttpRequest, since that of browsers reports no upload progress. */
export function fetchWithProgress(onSent: (count: number) => void): Fetch {
  return (url, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      const abort = () => request.abort();
      request.open(method, url);
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded }) => onSent(loaded);
      request.onload = () => resolve(responseOf(request));
      request.onerror = () => reject(new TypeError('The connection broke.'));
      request.onabort = () => reject(signal?.reason);
      request.onloadend = () => signal?.removeEventListener('abort', abort);
      signal?.addEventListener('abort', abort);
      request.send(body instanceof Blob ? body : null);
    });
}

function responseOf(request: XMLHttpRequest): Response {
  const { status } = request;
  const retryAfter = status < 300 ? null : request.getResponseHeader('retry-after');
  return new Response(request.responseText || null, { status, headers: { ...(retryAfter !== null && { 'retry-after': retryAfter }) } });
}
