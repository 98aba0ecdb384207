import { METHODS } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../contract/errors.ts';
import { SMALL_BODY_MAX_BYTES } from '../contract/limits.ts';
import type { Caller } from '../contract/parties.ts';
import type { Person } from '../contract/people.ts';
import { parseJson } from '../platform/lossless-json.ts';
import type { Answer, Auth, KeyCall, PersonCall, Route } from './endpoint.ts';
import { refuseOtherSites } from './own-origin.ts';
import type { RateLimiter } from './rate-limit.ts';
import { timesGiven } from './raw-headers.ts';
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

export interface Gate {
  callerFor(secret: string): Promise<Caller | undefined>;
  personFor(request: FastifyRequest): Promise<SignedIn | undefined>;
  /** Where people reach the service. */
  publicUrl(): string;
  perKey: RateLimiter;
  perAddress: RateLimiter;
}

export interface SignedIn {
  person: Person;
  /** What the browser is to remember from now on, now and then. */
  cookies: string[];
}

const BEARER = /^Bearer ([!-~]+)$/i;

/** Makes the route table answer. A request passes, in this order: its key or session, its scope or origin, its rate, its query, its body. */
export function registerRoutes<Context>(app: FastifyInstance, routes: readonly Route<Context>[], context: Context, gate: Gate): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('person', null);
  // Each in a scope of its own, because each takes its own content types.
  for (const route of routes) app.register(async (scope) => registerRoute(scope, route, context, gate));
  refuseOtherMethods(app, routes);
}

function registerRoute<Context>(app: FastifyInstance, [method, path, auth, endpoint]: Route<Context>, context: Context, gate: Gate): void {
  const checkQuery = queryCheck(endpoint.query ?? { type: 'object', additionalProperties: false });
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
      const call = { caller, person, params: request.params, query: request.query, body, rawBody, request };
      return send(reply, await endpoint.handle(context, call as KeyCall & PersonCall), endpoint.success);
    },
  });
}

async function admit(gate: Gate, auth: Auth, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (auth === 'open') return;
  if (auth === 'none') return gate.perAddress.admit(request.ip, reply);
  if (auth === 'person') return admitPerson(gate, request, reply);
  const caller = await authenticate(gate, request);
  if (auth === 'key rw' && caller.key.scope !== 'read_write') throw new Refusal('forbidden');
  gate.perKey.admit(caller.key.id, reply);
  request.caller = caller;
}

async function admitPerson(gate: Gate, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const signedIn = await gate.personFor(request);
  if (!signedIn) throw new Refusal('unauthorized', 'Sign in first.');
  refuseOtherSites(request, gate.publicUrl());
  gate.perKey.admit(signedIn.person.id, reply);
  // What a person sees is for that person's eyes, not for a cache in between.
  reply.header('cache-control', 'no-store');
  if (signedIn.cookies.length > 0) reply.header('set-cookie', signedIn.cookies);
  request.person = signedIn.person;
}

async function authenticate(gate: Gate, request: FastifyRequest): Promise<Caller> {
  // Node keeps the first of two Authorization headers; which one was meant is not ours to guess.
  const isSingle = timesGiven(request.raw.rawHeaders, 'authorization') === 1;
  const secret = isSingle ? BEARER.exec(request.headers.authorization ?? '')?.[1] : undefined;
  const caller = secret === undefined ? undefined : await gate.callerFor(secret);
  if (!caller) throw new Refusal('unauthorized', undefined, { headers: { 'www-authenticate': 'Bearer' } });
  return caller;
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
  return reply.send(typeof answer.body === 'string' || answer.body instanceof Readable ? answer.body : JSON.stringify(answer.body));
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
