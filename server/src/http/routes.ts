import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../contract/errors.ts';
import { BODY_MAX_BYTES, SMALL_BODY_MAX_BYTES } from '../contract/limits.ts';
import type { Caller } from '../contract/parties.ts';
import type { Person } from '../contract/people.ts';
import { bodyCheck, queryCheck } from '../contract/validation.ts';
import { invalidJson } from '../platform/json/json-fault.ts';
import { parseJson } from '../platform/json/lossless-json.ts';
import { admit, bucketsOf, type Gate } from './admission.ts';
import { Bill } from './bill.ts';
import { allowOtherSites, handlePreflight } from './cross-origin.ts';
import type { HttpResponse, MemberCall, PersonCall, Route } from './endpoint.ts';
import { toRefusal } from './error-response.ts';
import { HTML_TYPE } from './page.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    person: Person | null;
    /** Set once the handler was called: no later error is about reading the body. */
    isHandled: boolean;
  }
  interface FastifyContextConfig {
    streamsEverything?: boolean;
  }
}

/** Files are sent as stored. Pages with codes and sign-in hold secrets beside text that others choose: compression would leak them (BREACH). */
const NEVER_COMPRESSED = /^\/(assets|auth|dev|objects)\//;
const NOTHING = Buffer.alloc(0);
const NO_QUERY = { type: 'object', additionalProperties: false } as const;

type NotFoundPage = (path: string) => HttpResponse | Promise<HttpResponse>;

/**
 * Registers the route table. The checks of a request, in order: key or session, scope or origin, rate, query, body. `notFoundPage`: the page for
 * browsers at an unknown path.
 */
export function registerRoutes<Context>(
  app: FastifyInstance,
  routes: readonly Route<Context>[],
  context: Context,
  gate: Gate,
  notFoundPage?: NotFoundPage,
): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('person', null);
  app.decorateRequest('isHandled', false);
  for (const route of routes) {
    // A route that streams needs its own scope for its content types.
    if (route[3].streams !== undefined) app.register(async (scope) => registerRoute(scope, route, context, gate));
    else registerRoute(app, route, context, gate);
  }
  refuseUnknown(app, routes, notFoundPage !== undefined);
  if (notFoundPage) showUnknown(app, notFoundPage);
}

function registerRoute<Context>(app: FastifyInstance, [method, path, auth, endpoint]: Route<Context>, context: Context, gate: Gate): void {
  const checkQuery = queryCheck(endpoint.query ?? NO_QUERY);
  const checkBody = endpoint.body && !endpoint.readsRawBody ? bodyCheck(endpoint.body) : undefined;
  if (endpoint.streams === '*') app.removeAllContentTypeParsers();
  if (endpoint.streams !== undefined)
    app.addContentTypeParser(endpoint.streams, (request, _payload, done) => {
      gate.pace.watchRequest(request.raw);
      done(null);
    });
  // Only the request that creates a key or secret shows it, which is never a GET.
  const form = { ...endpoint.success, isCompressed: method === 'GET' && !NEVER_COMPRESSED.test(path) };
  const respond = async (request: FastifyRequest, reply: FastifyReply, refusedBody?: Refusal) => {
    request.isHandled = true;
    const bill = new Bill(() => bucketsOf(gate, auth, request), reply);
    const rawBody = Buffer.isBuffer(request.body) ? request.body : NOTHING;
    // A body costs its bytes even if it is refused.
    bill.spend({ bytes: rawBody.length });
    checkQuery(request.query);
    const body = checkBody ? parsedBody(request.body, checkBody) : undefined;
    const { caller, person, params, query } = request;
    const reservation = gate.responses.reservation(request, reply.raw);
    const reserve = (bytes: number) => reservation.add(bytes);
    const { spend, prepay } = bill;
    const untilAffordable = () => bill.untilAffordable(true);
    const given = { params, query, body, rawBody, request, ...(refusedBody && { refusedBody }) };
    const call = { caller, person, ...given, reserve, spend, prepay, untilAffordable };
    const response = await endpoint.handle(context, call as MemberCall & PersonCall);
    return gate.responses.send(request, reply, response, form, { reservation, bill });
  };
  app.route({
    method,
    url: path,
    config: { streamsEverything: endpoint.streams === '*' },
    bodyLimit: endpoint.bodyMaxBytes ?? (endpoint.readsRawBody ? BODY_MAX_BYTES : SMALL_BODY_MAX_BYTES),
    onRequest: (request, reply) => {
      if (endpoint.isCrossOrigin) allowOtherSites(reply);
      return admit(gate, auth, request, reply, endpoint.errors.includes('party_required'));
    },
    handler: (request, reply) => respond(request, reply),
    ...(endpoint.judgesRefusedBody && { errorHandler: judgingBodies(respond) }),
  });
}

/** Calls the handler for a refused body. Its errors, and all others, go to the error handler of the server. */
function judgingBodies(respond: (request: FastifyRequest, reply: FastifyReply, refusedBody: Refusal) => Promise<FastifyReply | undefined>) {
  return async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const isAdmitted = request.caller !== null || request.person !== null;
    const refusal = isAdmitted && !request.isHandled ? toRefusal(error) : undefined;
    if (refusal?.code !== 'unsupported_media_type' && refusal?.code !== 'json_too_large') throw error;
    return respond(request, reply, refusal);
  };
}

function parsedBody(body: unknown, check: (value: unknown) => void): unknown {
  const text = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  const parsed = parseJson(text);
  if (!parsed) throw invalidJson(text, '');
  check(parsed.value);
  return parsed.value;
}

/** The router knows a path only with its methods, so `Allow` is found by the pattern of the path. */
function refuseUnknown<Context>(app: FastifyInstance, routes: readonly Route<Context>[], hasPages: boolean): void {
  // A path without parameters comes before one whose parameter it would fit.
  const paths = [...new Set(routes.map(([, path]) => path))].toSorted((a, b) => a.split(':').length - b.split(':').length);
  const known = paths.map((path) => ({ path, pattern: patternOf(path), methods: methodsOf(path, routes) }));
  const refusalOf = (methods: string[]) => new Refusal('method_not_allowed', undefined, { headers: { allow: methods.join(', ') } });

  for (const { path, methods } of known) {
    if (methods.includes('OPTIONS')) app.options(path, handlePreflight);
    // Otherwise the router would match another path, which has a parameter.
    const others = known.filter((other) => other.pattern.test(path)).flatMap((other) => other.methods);
    const method = [...new Set(others)].filter((one) => one !== 'HEAD' && !methods.includes(one));
    const onRequest = async () => Promise.reject(refusalOf(methods));
    if (method.length > 0) app.route({ method, url: path, onRequest, handler: () => {} });
  }

  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) return done();
    const path = pathOf(request);
    const methods = known.find(({ pattern }) => pattern.test(path))?.methods ?? [];
    // A browser gets a page, unless the path exists with other methods.
    if (hasPages && methods.length === 0 && wantsPage(request)) return done();
    // The refusal comes before the body is read.
    done(methods.length === 0 ? new Refusal('not_found', 'The path was not found.') : refusalOf(methods));
  });
}

const FOR_PROGRAMS = /^\/(v1|auth|objects|assets)(\/|$)/;

const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0] ?? '';

function wantsPage(request: FastifyRequest): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return isRead && /\btext\/html\b/.test(request.headers.accept ?? '') && !FOR_PROGRAMS.test(pathOf(request));
}

function showUnknown(app: FastifyInstance, notFoundPage: NotFoundPage): void {
  app.setNotFoundHandler(async (request, reply) => {
    if (!wantsPage(request)) throw new Refusal('not_found', 'The path was not found.');
    const { headers = {}, body } = await notFoundPage(pathOf(request));
    return reply.code(404).headers(headers).type(HTML_TYPE).send(body);
  });
}

function methodsOf<Context>(path: string, routes: readonly Route<Context>[]): string[] {
  const here = routes.filter((route) => route[1] === path);
  const methods: string[] = here.map(([method]) => method);
  if (methods.includes('GET')) methods.push('HEAD');
  if (here.some(([, , , endpoint]) => endpoint.isCrossOrigin)) methods.push('OPTIONS');
  return methods;
}

function patternOf(path: string): RegExp {
  const text = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+');
  return new RegExp(`^${text.replaceAll('*', '.*')}$`);
}
