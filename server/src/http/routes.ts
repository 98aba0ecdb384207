import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../contract/errors.ts';
import { SMALL_BODY_MAX_BYTES } from '../contract/limits.ts';
import type { Caller } from '../contract/parties.ts';
import type { Person } from '../contract/people.ts';
import { bodyCheck, queryCheck } from '../contract/validation.ts';
import { parseJson } from '../platform/lossless-json.ts';
import { admit, type Gate } from './admission.ts';
import { allowOtherSites, handlePreflight } from './cross-origin.ts';
import type { MemberCall, PersonCall, Route } from './endpoint.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    person: Person | null;
  }
  interface FastifyContextConfig {
    /** The handler reads the body as a stream, whatever its content type. */
    streamsEverything?: boolean;
  }
}

/** Files are sent as stored. Pages with codes and sign-in hold secrets beside text that others choose: compression would leak them (BREACH). */
const NEVER_COMPRESSED = /^\/(assets|auth|dev|objects)\//;
const NO_QUERY = { type: 'object', additionalProperties: false } as const;

/** Registers the route table. The checks of a request, in order: key or session, scope or origin, rate, query, body. */
export function registerRoutes<Context>(app: FastifyInstance, routes: readonly Route<Context>[], context: Context, gate: Gate): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('person', null);
  // Each route has its own scope, because each accepts its own content types.
  for (const route of routes) app.register(async (scope) => registerRoute(scope, route, context, gate));
  refuseOtherMethods(app, routes);
}

function registerRoute<Context>(app: FastifyInstance, [method, path, auth, endpoint]: Route<Context>, context: Context, gate: Gate): void {
  const checkQuery = queryCheck(endpoint.query ?? NO_QUERY);
  const checkBody = endpoint.body && !endpoint.readsRawBody ? bodyCheck(endpoint.body) : undefined;
  // The handler reads every content type, JSON included.
  if (endpoint.streams === '*') app.removeAllContentTypeParsers();
  if (endpoint.streams !== undefined)
    app.addContentTypeParser(endpoint.streams, (request, _payload, done) => {
      gate.pace.watchRequest(request.raw);
      done(null);
    });
  // Only the request that creates a key or secret shows it, which is never a GET.
  const form = { ...endpoint.success, isCompressed: method === 'GET' && !NEVER_COMPRESSED.test(path) };
  app.route({
    method,
    url: path,
    config: { streamsEverything: endpoint.streams === '*' },
    ...(endpoint.readsRawBody ? {} : { bodyLimit: SMALL_BODY_MAX_BYTES }),
    onRequest: (request, reply) => {
      if (endpoint.isCrossOrigin) allowOtherSites(reply);
      return admit(gate, auth, request, reply, endpoint.errors.includes('party_required'));
    },
    handler: async (request, reply) => {
      checkQuery(request.query);
      const body = checkBody ? parsedBody(request.body, checkBody) : undefined;
      const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const { caller, person } = request;
      const reservation = gate.responses.reservation(request, reply.raw);
      const reserve = (bytes: number) => reservation.add(bytes);
      const call = { caller, person, params: request.params, query: request.query, body, rawBody, request, reserve };
      const response = await endpoint.handle(context, call as MemberCall & PersonCall);
      return gate.responses.send(request, reply, response, form, reservation);
    },
  });
}

function parsedBody(body: unknown, check: (value: unknown) => void): unknown {
  const parsed = Buffer.isBuffer(body) ? parseJson(body) : undefined;
  if (!parsed) throw new Refusal('invalid_json');
  check(parsed.value);
  return parsed.value;
}

function refuseOtherMethods<Context>(app: FastifyInstance, routes: readonly Route<Context>[]): void {
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  // Fastify adds HEAD along with GET.
  const methods = app.supportedMethods.filter((method) => method !== 'HEAD');
  for (const path of new Set(routes.map(([, path]) => path))) {
    const taken = routes.filter((route) => route[1] === path).map(([method]) => method as string);
    const isCrossOrigin = routes.some(([, at, , endpoint]) => at === path && endpoint.isCrossOrigin);
    if (isCrossOrigin) {
      taken.push('OPTIONS');
      app.options(path, handlePreflight);
    }
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
