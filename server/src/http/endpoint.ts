import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Spend } from '../contract/cost.ts';
import type { ErrorCode, Refusal } from '../contract/errors.ts';
import type { Role } from '../contract/members.ts';
import type { Caller } from '../contract/parties.ts';
import type { Person } from '../contract/people.ts';

/**
 * public: no key, limited by address. public unlimited: no key, no limit. key: any valid key, or a member. key rw: a key with scope read_write, or a
 * member. person: anybody who has signed in. member, admin, owner: a signed-in person with at least that role in the business that the header
 * Waybill-Business names.
 */
export type Auth = 'public' | 'public unlimited' | 'key' | 'key rw' | 'person' | Role;

export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  params: Params;
  query: Query;
  body: Body;
  rawBody: Buffer;
  refusedBody?: Refusal;
  request: FastifyRequest;
  /** Counts these bytes as held until the response is sent. Refuses if the process holds too many. */
  reserve(bytes: number): void;
  /** Charges the caller's rate for other costs than bytes, which are charged anyway. */
  spend: Spend;
  /** Charges for a streamed response in advance, so that its headers can state the cost. */
  prepay(bytes: number): void;
  /** Resolves once the caller's rate can afford more of a long response. */
  untilAffordable(): Promise<void>;
}

export interface KeyCall<Params = unknown, Query = unknown, Body = unknown> extends Call<Params, Query, Body> {
  caller: Caller;
}

export interface PersonCall<Params = unknown, Query = unknown, Body = unknown> extends Call<Params, Query, Body> {
  person: Person;
}

export interface MemberCall<Params = unknown, Query = unknown, Body = unknown> extends Call<Params, Query, Body> {
  caller: Caller & { by: Extract<Caller['by'], { kind: 'member' }> };
}

export const EVENT_STREAM = 'text/event-stream';

/** A string, buffer or stream is sent unchanged, and undefined as an empty body. Anything else is sent as JSON. */
export interface HttpResponse {
  status?: number;
  headers?: Record<string, string | string[]>;
  body?: unknown;
}

interface Description {
  summary: string;
  description?: string;
  /** otherContentType: the query can request it in place of contentType. The schema is that of the one which is JSON. */
  success: { status: number; description: string; schema?: TSchema; contentType?: string; otherContentType?: string };
  also?: { status: number; description: string; schema?: TSchema }[];
  errors: ErrorCode[];
  headers?: TSchema;
  /** Lets scripts of any site read the response (CORS). Only if it is the same for everybody. */
  isCrossOrigin?: boolean;
}

interface Shape<P extends TSchema, Q extends TSchema, B extends TSchema> extends Description {
  params?: P;
  query?: Q;
  body?: B;
  /** The body needs exactly one, or at least one, of these fields. This is for the documentation only: the handler checks it. */
  exactlyOneOf?: readonly string[];
  atLeastOneOf?: readonly string[];
  form?: TSchema;
  /** The handler reads the body itself, because a parsed one would lose something. */
  readsRawBody?: boolean;
  /** Default: BODY_MAX_BYTES for a handler that reads the body itself, SMALL_BODY_MAX_BYTES for others. */
  bodyMaxBytes?: number;
  /** The handler also gets bodies that are too large or of an unsupported type, and decides about them. */
  judgesRefusedBody?: boolean;
  /** Content types (or `*`) whose body the handler reads as a stream: request.raw. */
  streams?: string;
}

interface KeyShape<Context, P extends TSchema, Q extends TSchema, B extends TSchema> extends Shape<P, Q, B> {
  handle: (context: Context, call: KeyCall<Static<P>, Static<Q>, Static<B>>) => Promise<HttpResponse>;
}

interface PersonShape<Context, P extends TSchema, Q extends TSchema, B extends TSchema> extends Shape<P, Q, B> {
  handle: (context: Context, call: PersonCall<Static<P>, Static<Q>, Static<B>>) => Promise<HttpResponse>;
}

interface MemberShape<Context, P extends TSchema, Q extends TSchema, B extends TSchema> extends Shape<P, Q, B> {
  handle: (context: Context, call: MemberCall<Static<P>, Static<Q>, Static<B>>) => Promise<HttpResponse>;
}

interface PublicShape<Context, P extends TSchema, Q extends TSchema, B extends TSchema> extends Shape<P, Q, B> {
  handle: (context: Context, call: Call<Static<P>, Static<Q>, Static<B>>) => Promise<HttpResponse>;
}

interface KeyEndpoint<Context> extends Shape<TSchema, TSchema, TSchema> {
  access: 'key';
  handle: (context: Context, call: KeyCall) => Promise<HttpResponse>;
}

interface PersonEndpoint<Context> extends Shape<TSchema, TSchema, TSchema> {
  access: 'person';
  handle: (context: Context, call: PersonCall) => Promise<HttpResponse>;
}

interface MemberEndpoint<Context> extends Shape<TSchema, TSchema, TSchema> {
  access: 'member';
  handle: (context: Context, call: MemberCall) => Promise<HttpResponse>;
}

interface PublicEndpoint<Context> extends Shape<TSchema, TSchema, TSchema> {
  access: 'public';
  handle: (context: Context, call: Call) => Promise<HttpResponse>;
}

/** The types are safe: routes.ts checks params, query and body by their schemas before each call. */
function endpointOf<Endpoint extends { access: string }>(shape: object, access: Endpoint['access']): Endpoint {
  return { ...shape, access } as Endpoint;
}

/** Functions that define endpoints which need these services of the context. The route table in app.ts compiles only if the context has them all. */
export function endpointsFor<Context>() {
  return {
    endpoint: <P extends TSchema, Q extends TSchema, B extends TSchema>(shape: KeyShape<Context, P, Q, B>): KeyEndpoint<Context> =>
      endpointOf(shape, 'key'),
    personEndpoint: <P extends TSchema, Q extends TSchema, B extends TSchema>(
      shape: PersonShape<Context, P, Q, B>,
    ): PersonEndpoint<Context> => endpointOf(shape, 'person'),
    memberEndpoint: <P extends TSchema, Q extends TSchema, B extends TSchema>(
      shape: MemberShape<Context, P, Q, B>,
    ): MemberEndpoint<Context> => endpointOf(shape, 'member'),
    publicEndpoint: <P extends TSchema, Q extends TSchema, B extends TSchema>(
      shape: PublicShape<Context, P, Q, B>,
    ): PublicEndpoint<Context> => endpointOf(shape, 'public'),
  };
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Route<Context> =
  | readonly [method: Method, path: string, auth: 'public' | 'public unlimited', endpoint: PublicEndpoint<Context>]
  | readonly [method: Method, path: string, auth: 'key' | 'key rw', endpoint: KeyEndpoint<Context>]
  | readonly [method: Method, path: string, auth: 'person', endpoint: PersonEndpoint<Context>]
  | readonly [method: Method, path: string, auth: Role, endpoint: MemberEndpoint<Context>];
