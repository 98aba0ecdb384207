import type { Socket } from 'node:net';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { invalid, Refusal } from '../contract/errors.ts';
import { newRequestId } from '../contract/ids.ts';
import { BODY_MAX_BYTES } from '../contract/limits.ts';
import { errorBody, sendError } from './error-response.ts';

const HEADERS_PATIENCE_MS = 15_000;
const REQUEST_PATIENCE_MS = 60_000;
const KEEP_ALIVE_MS = 65_000;

/** Fastify with our manners: request ids everywhere, errors of the catalogue only, bodies as bytes, no patience with the slow. */
export function createServer(log: Logger, trustedProxies: string[]): FastifyInstance {
  const app = Fastify({
    loggerInstance: log.child({}, { level: log.isLevelEnabled('debug') ? 'debug' : 'warn' }) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // One logger for all: a child for each request would be made for nothing, as hardly any request logs.
    childLoggerFactory: (logger) => logger,
    genReqId: newRequestId,
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    bodyLimit: BODY_MAX_BYTES,
    requestTimeout: REQUEST_PATIENCE_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { headersTimeout: HEADERS_PATIENCE_MS, connectionsCheckingInterval: 5_000 },
    forceCloseConnections: 'idle',
    // While stopping, requests that come in on open connections are still answered; each connection is closed with its answer.
    return503OnClosing: false,
    exposeHeadRoutes: true,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply.header('x-request-id', request.id)),
    clientErrorHandler: answerBrokenRequest,
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      done(new Refusal('unsupported_media_type', 'Compressed bodies are not taken; send it without Content-Encoding.'));
    } else done();
  });
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((request, reply) => sendError(new Refusal('not_found', 'There is no such path.'), request, reply));
  return app;
}

/** What never became a request, because Node's parser gave up on it. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newRequestId();
  const [status, reason] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'the headers are too large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'the request did not arrive in time']
        : ['400 Bad Request', 'this is not valid HTTP'];
  const body = errorBody(invalid([{ path: '', message: reason as string }]), requestId);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
  );
}
