import { ApiError, refusalIn } from './client.ts';

/** Browsers open six connections to a host, and the rest of the page needs some of them. */
const PUTS_AT_ONCE = 3;
let underWay = 0;
const queue: (() => void)[] = [];

/** Runs when its turn has come, first come, first served: for whatever sends much. */
export async function inTurn<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  if (underWay >= PUTS_AT_ONCE) await new Promise<void>((resolve) => queue.push(resolve));
  else underWay++;
  try {
    signal.throwIfAborted();
    return await run();
  } finally {
    const next = queue.shift();
    if (next) next();
    else underWay--;
  }
}

interface Put {
  url: string;
  headers: Record<string, string>;
  bytes: Blob;
  signal: AbortSignal;
  /** How many bytes have left, again and again. */
  onSent(count: number): void;
}

/** PUTs bytes to a signed URL. By the older interface, since fetch does not tell how far it has come. */
export function put({ url, headers, bytes, signal, onSent }: Put): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) if (name.toLowerCase() !== 'content-length') request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onSent(Math.min(loaded, bytes.size));
    request.onload = () => (request.status < 300 ? resolve() : reject(refused(request)));
    request.onerror = () => reject(new ApiError(0, {}, null));
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    request.send(bytes);
  });
}

function refused(request: XMLHttpRequest): ApiError {
  const refusal = { message: `The store of files has refused this (${request.status}).`, ...refusalIn(request.responseText) };
  return new ApiError(request.status, refusal, request.getResponseHeader('retry-after'));
}
