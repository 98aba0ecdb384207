import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { WITNESS_CONNECTIONS_MAX, WITNESS_REQUEST_MAX_BYTES, WITNESS_REQUEST_MAX_MS } from '../../contract/witness-limits.ts';
import { NetworkLimit } from './network-limit.ts';
import { plain, type Witness, type WitnessResponse } from './witness.ts';

export interface WitnessServer {
  port: number;
  stop(): Promise<void>;
}

export interface Listening {
  host: string;
  port: number;
  /** The addresses of proxies. The last entry of their X-Forwarded-For is the client's address. */
  proxies: readonly string[];
}

const IDLE_MS = 65_000;
const HEADER_MAX_BYTES = 8 * 1024;
const STOP_PATIENCE_MS = 5_000;
const CHECK_EVERY_MS = 1_000;

/** The HTTP interface of c2sp.org/tlog-witness, for submission and for monitoring. */
export async function serveWitness(witness: Witness, { host, port, proxies }: Listening, log: Logger): Promise<WitnessServer> {
  const limit = new NetworkLimit();
  const limits = { maxHeaderSize: HEADER_MAX_BYTES, requestTimeout: WITNESS_REQUEST_MAX_MS, connectionsCheckingInterval: CHECK_EVERY_MS };
  const server = http.createServer(limits, (request, response) => {
    const admitted = limit.admits(clientOf(request, proxies), performance.now());
    const responding = admitted ? respondTo(witness, request) : Promise.resolve(plain(429, 'Too many requests.'));
    responding
      .catch((error) => {
        // A client that goes away in the middle of its request is no failure.
        if (!request.destroyed) log.error(error, 'a request failed');
        return plain(503, 'The checkpoint could not be recorded. Try again later.');
      })
      .then((result) => send(result, request, response));
  });
  server.headersTimeout = WITNESS_REQUEST_MAX_MS;
  server.keepAliveTimeout = IDLE_MS;
  server.maxConnections = WITNESS_CONNECTIONS_MAX;
  // Also ends connections that do not read their response.
  server.setTimeout(IDLE_MS + WITNESS_REQUEST_MAX_MS);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), STOP_PATIENCE_MS).unref();
      }),
  };
}

async function respondTo(witness: Witness, request: IncomingMessage): Promise<WitnessResponse> {
  const { method, url = '/' } = request;
  if (url === '/add-checkpoint') {
    if (method !== 'POST') return plain(405, 'Use POST.');
    const body = await bodyOf(request);
    return body === undefined
      ? plain(413, `A request has at most ${WITNESS_REQUEST_MAX_BYTES} bytes.`)
      : body === 'not UTF-8'
        ? plain(400, 'The request is not UTF-8.')
        : witness.addCheckpoint(body.text);
  }
  const isRead = method === 'GET' || method === 'HEAD';
  const [, hash] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(url) ?? [];
  if (isRead && hash !== undefined) {
    const note = witness.checkpointOf(hash);
    return note === undefined
      ? plain(404, 'No checkpoint of this log was cosigned.')
      : { status: 200, type: 'text/plain; charset=utf-8', body: note };
  }
  return isRead && url === '/healthz' ? plain(200, 'ok') : plain(404, 'Not found.');
}

/** Returns undefined for a body that is too long, and does not read the rest. */
async function bodyOf(request: IncomingMessage): Promise<{ text: string } | 'not UTF-8' | undefined> {
  if (Number(request.headers['content-length']) > WITNESS_REQUEST_MAX_BYTES) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    const chunk: Buffer = piece;
    bytes += chunk.length;
    if (bytes > WITNESS_REQUEST_MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks)) };
  } catch {
    return 'not UTF-8';
  }
}

function send({ status, type, body }: WitnessResponse, request: IncomingMessage, response: ServerResponse): void {
  if (response.destroyed) return;
  const headers = {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...(status === 429 || status === 503 ? { 'retry-after': '1' } : {}),
    // The unread rest of the request would be taken for the next one.
    ...(request.complete ? {} : { connection: 'close' }),
  };
  response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
}

function clientOf(request: IncomingMessage, proxies: readonly string[]): string {
  const address = (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  if (!proxies.includes(address)) return address;
  return (
    String(request.headers['x-forwarded-for'] ?? '')
      .split(',')
      .at(-1)
      ?.trim() || address
  );
}
