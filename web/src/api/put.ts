import { ApiError, errorIn } from './client.ts';

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

interface Put {
  url: string;
  headers: Record<string, string>;
  bytes: Blob;
  signal: AbortSignal;
  onSent(count: number): void;
}

/** PUTs bytes to a signed URL with XMLHttpRequest, since fetch reports no upload progress. */
export function put({ url, headers, bytes, signal, onSent }: Put): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) if (name.toLowerCase() !== 'content-length') request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onSent(Math.min(loaded, bytes.size));
    request.onload = () => (request.status < 300 ? resolve() : reject(errorOf(request)));
    request.onerror = () => reject(new ApiError(0, {}, null));
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    request.send(bytes);
  });
}

function errorOf(request: XMLHttpRequest): ApiError {
  const error = { message: `Upload refused by the file store (HTTP ${request.status}). Try again.`, ...errorIn(request.responseText) };
  return new ApiError(request.status, error, request.getResponseHeader('retry-after'));
}
