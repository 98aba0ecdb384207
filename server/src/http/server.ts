import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import type { Logger } from 'pino';
import { invalid, Refusal } from '../contract/errors.ts';
import { newRequestId } from '../contract/ids.ts';
import { BODY_MAX_BYTES, PATH_PARAMETER_MAX_CHARS, REQUESTS_PER_CONNECTION_MAX } from '../contract/limits.ts';
import { limitConnections } from './connections.ts';
import { errorBody, sendError } from './error-response.ts';

const HEADERS_PATIENCE_MS = 15_000;
/** The time limit for bodies in memory. A streamed body may take as long as it keeps the pace (pace.ts). */
const BODY_PATIENCE_MS = 60_000;
const IDLE_PATIENCE_MS = 120_000;
/** Twice the time that 5 GB take at 1 Mbit/s. */
const REQUEST_PATIENCE_MS = 24 * 3_600_000;
const KEEP_ALIVE_MS = 65_000;
const LEFTOVER_PATIENCE_MS = 10_000;

/**
 * The number of requests on a connection that wait for their responses. It is a property, because a WeakMap costs time in each garbage
 * collection.
 */
const WAITING = Symbol('requests that wait');
type CountedSocket = Socket & { [WAITING]?: number };

/** Stricter than Fastify, which ignores malformed parameters. */
const JSON_TYPE = /^application\/json[ \t]*(;[ \t]*([\w!#$%&'*+.^`|~-]+=([\w!#$%&'*+.^`|~-]+|"[^"\\]*")[ \t]*)?)*$/i;

/** Fastify with request ids everywhere, only errors of the catalogue, bodies as bytes, and short timeouts. */
export function createServer(log: Logger, trustedProxies: string[]): FastifyInstance {
  const app = Fastify({
    // At info, Fastify logs every request.
    loggerInstance: shared(log.level === 'info' ? log.child({}, { level: 'warn' }) : log),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    bodyLimit: BODY_MAX_BYTES,
    routerOptions: { maxParamLength: PATH_PARAMETER_MAX_CHARS },
    requestTimeout: REQUEST_PATIENCE_MS,
    connectionTimeout: IDLE_PATIENCE_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node's own response to a missing Host lacks a request id, so a hook below sends ours.
    http: { headersTimeout: HEADERS_PATIENCE_MS, connectionsCheckingInterval: 5_000, requireHostHeader: false },
    forceCloseConnections: 'idle',
    // While stopping, requests on open connections are still served. Each connection is closed with its response.
    return503OnClosing: false,
    exposeHeadRoutes: true,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply.header('x-request-id', request.id)),
    clientErrorHandler: rejectBrokenRequest,
  });

  const surplus = limitConnections(app.server, trustedProxies);

  // An unknown expectation is ignored: Node's own response to it lacks a request id.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (JSON_TYPE.test(request.headers['content-type'] ?? '')) done(null, body);
    else done(new Refusal('unsupported_media_type', 'The parameters of Content-Type are not well formed.'));
  });

  app.addHook('onRequest', (request, reply, done) => {
    const { raw, headers } = request;
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    const socket: CountedSocket = raw.socket;
    socket[WAITING] = (socket[WAITING] ?? 0) + 1;
    if (surplus.has(socket) && request.routeOptions.url !== '/healthz') done(tooManyConnections(reply));
    else if (socket[WAITING] > REQUESTS_PER_CONNECTION_MAX) done(tooManyAtOnce());
    else if (headers.host === undefined && raw.httpVersion === '1.1') done(invalid([{ path: '/Host', message: 'is required' }]));
    else if (timesGiven(raw.rawHeaders, 'host') > 1) done(invalid([{ path: '/Host', message: 'is given more than once' }]));
    else done();
  });
  // Runs after the hooks that admit the caller, because a body's type matters only if its sender may send a body.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const objection = objectionToBody(request.raw);
    if (objection !== undefined) return done(new Refusal('unsupported_media_type', objection));
    const isJson = request.headers['content-type']?.toLowerCase().startsWith('application/json');
    // A small body mostly arrives together with its headers, and needs no timer.
    const isThere = Number(request.headers['content-length']) === request.raw.readableLength;
    if (isJson && !isThere && !request.routeOptions.config.streamsEverything) {
      const impatience = setTimeout(() => request.raw.complete || request.raw.destroy(), BODY_PATIENCE_MS);
      request.raw.once('close', () => clearTimeout(impatience));
    }
    done(null, payload);
  });
  app.addHook('onResponse', (request, _reply, done) => {
    const socket: CountedSocket = request.raw.socket;
    socket[WAITING] = Math.max(0, (socket[WAITING] ?? 0) - 1);
    if (!request.raw.complete) discard(request.raw);
    done();
  });
  app.setErrorHandler(sendError);
  return app;
}

/**
 * All requests share one logger: hardly any request logs, so a child logger for each would be wasted. Fastify checks the methods of each logger that a
 * childLoggerFactory returns, and so the logger is its own child.
 */
function shared(log: Logger): FastifyBaseLogger {
  const logger: FastifyBaseLogger = Object.create(log, { child: { value: () => logger } });
  return logger;
}

/** Node starts all requests that arrive in one packet, a thousand or more, even if the client reads no response. */
function tooManyAtOnce(): Refusal {
  const limit = `At most ${REQUESTS_PER_CONNECTION_MAX} requests may wait on one connection; read the responses first, or open another.`;
  return new Refusal('rate_limited', limit, { retryAfterS: 1 });
}

/** Health probes are served all the same: the process is alive. */
function tooManyConnections(reply: FastifyReply): Refusal {
  reply.header('connection', 'close');
  return new Refusal('unavailable', 'Too many connections are open. Close those that you do not use, and try again.', { retryAfterS: 5 });
}

/** Discards the rest of a body: many clients read the response only after sending it, and the next request follows it. */
function discard(body: IncomingMessage): void {
  // A complete body is not destroyed: its connection serves other requests.
  const impatience = setTimeout(() => {
    if (!body.complete) body.destroy();
  }, LEFTOVER_PATIENCE_MS);
  body.once('close', () => clearTimeout(impatience));
  // A handler that stopped reading would still hold the body back.
  body.removeAllListeners('readable').resume();
}

function objectionToBody({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    return 'Compressed bodies are not supported; send the body without Content-Encoding.';
  // Node keeps the first of two Content-Type headers, but the other one may have been meant.
  return timesGiven(rawHeaders, 'content-type') > 1 ? 'Content-Type is given more than once.' : undefined;
}

function rejectBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newRequestId();
  const [status, reason]: [status: string, reason: string] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'the headers are too large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'the request did not arrive in time']
        : ['400 Bad Request', 'this is not valid HTTP'];
  const body = errorBody(invalid([{ path: '', message: reason }]), requestId);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** How often a request has a header (name in lower case). Node drops the repeats of some. */
export function timesGiven(rawHeaders: readonly string[], name: string): number {
  let times = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i];
    if (given?.length === name.length && given.toLowerCase() === name) times++;
  }
  return times;
}
