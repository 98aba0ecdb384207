import { METHODS } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../contract/errors.ts';
import { SMALL_BODY_MAX_BYTES } from '../contract/limits.ts';
import type { Caller } from '../contract/parties.ts';
import type { Person } from '../contract/people.ts';
import { parseJson } from '../platform/lossless-json.ts';
import { admit, type Gate } from './admission.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { Answer, MemberCall, PersonCall, Route } from './endpoint.ts';
import { bodyCheck, queryCheck } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    person: Person | null;
  }
  interface FastifyContextConfig {
    /** The body is the handler's to read, whatever it is called. */
    streamsEverything?: boolean;
  }
}

const NO_QUERY = { type: 'object', additionalProperties: false } as const;

/** Makes the route table answer. A request passes, in this order: its key or session, its scope or origin, its rate, its query, its body. */
export function registerRoutes<Context>(app: FastifyInstance, routes: readonly Route<Context>[], context: Context, gate: Gate): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('person', null);
  // Each in a scope of its own, because each takes its own content types.
  for (const route of routes) app.register(async (scope) => registerRoute(scope, route, context, gate));
  refuseOtherMethods(app, routes);
}

function registerRoute<Context>(app: FastifyInstance, [method, path, auth, endpoint]: Route<Context>, context: Context, gate: Gate): void {
  const checkQuery = queryCheck(endpoint.query ?? NO_QUERY);
  const checkBody = endpoint.body && !endpoint.readsRawBody ? bodyCheck(endpoint.body) : undefined;
  // Whatever it is called, JSON too.
  if (endpoint.streams === '*') app.removeAllContentTypeParsers();
  if (endpoint.streams !== undefined) app.addContentTypeParser(endpoint.streams, (_request, _payload, done) => done(null));
  app.route({
    method,
    url: path,
    config: { streamsEverything: endpoint.streams === '*' },
    ...(endpoint.readsRawBody ? {} : { bodyLimit: SMALL_BODY_MAX_BYTES }),
    onRequest: (request, reply) => admit(gate, auth, request, reply),
    handler: async (request, reply) => {
      checkQuery(request.query);
      const body = checkBody ? parsedBody(request.body, checkBody) : undefined;
      const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const { caller, person } = request;
      const reserve = (bytes: number) => hold(gate.responseBytes, bytes, request, reply);
      const call = { caller, person, params: request.params, query: request.query, body, rawBody, request, reserve };
      return send(reply, await endpoint.handle(context, call as MemberCall & PersonCall), endpoint.success);
    },
  });
}

function hold(budget: ByteBudget, bytes: number, request: FastifyRequest, reply: FastifyReply): void {
  const giveBack = budget.take(request, bytes);
  // Comes once, after the last byte or when the client has gone; never, when it went before.
  if (reply.raw.closed) giveBack();
  else reply.raw.once('close', giveBack);
}

function parsedBody(body: unknown, check: (value: unknown) => void): unknown {
  const parsed = Buffer.isBuffer(body) ? parseJson(body) : undefined;
  if (!parsed) throw new Refusal('invalid_json');
  check(parsed.value);
  return parsed.value;
}

function send(reply: FastifyReply, answer: Answer, success: { status: number; contentType?: string }): FastifyReply {
  reply.code(answer.status ?? success.status);
  if (answer.headers) reply.headers(answer.headers);
  if (answer.body === undefined) return reply.send();
  if (answer.headers?.['content-type'] === undefined) reply.type(success.contentType ?? 'application/json; charset=utf-8');
  const isFinished = typeof answer.body === 'string' || Buffer.isBuffer(answer.body) || answer.body instanceof Readable;
  return reply.send(isFinished ? answer.body : JSON.stringify(answer.body));
}

function refuseOtherMethods<Context>(app: FastifyInstance, routes: readonly Route<Context>[]): void {
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  // HEAD comes along with GET.
  const methods = app.supportedMethods.filter((method) => method !== 'HEAD');
  for (const path of new Set(routes.map(([, path]) => path))) {
    const taken = routes.filter((route) => route[1] === path).map(([method]) => method as string);
    const allow = [...taken, ...(taken.includes('GET') ? ['HEAD'] : [])].join(', ');
    app.route({
      method: methods.filter((method) => !taken.includes(method)),
      url: path,
      onRequest: async () => {
        throw new Refusal('method_not_allowed', undefined, { headers: { allow } });
      },
      handler: () => {},
    });
  }
}
