import type { TSchema } from 'typebox';
import { type ErrorCode, errorCatalogue } from '../contract/errors.ts';
import { PATH_PARAMETER_MAX_CHARS } from '../contract/limits.ts';
import { type Auth, EVENT_STREAM, type Route } from './endpoint.ts';
import { exampleOf } from './openapi-examples.ts';
import {
  businessHeader,
  errorResponse,
  HEADERS,
  HEADERS_TOO_LARGE,
  successHeaders,
  wantsText,
  withHandlePattern,
  withPattern,
} from './openapi-parts.ts';
import { webhooksSection } from './openapi-webhooks.ts';

type Json = Record<string, unknown>;

export interface Operation extends Json {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json; example?: unknown }> };
  responses: Record<string, Json>;
}

export interface Parameter extends Json {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Json;
}

export interface OpenApiDocument extends Json {
  info: Json & { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; headers: Json; securitySchemes: Json };
}

/** Refusals that come with an endpoint's authentication, or that any endpoint can return. */
const ERRORS_OF: Record<Auth, ErrorCode[]> = {
  'public unlimited': [],
  public: ['rate_limited'],
  key: ['unauthorized', 'forbidden', 'rate_limited'],
  'key rw': ['unauthorized', 'forbidden', 'rate_limited'],
  person: ['unauthorized', 'forbidden', 'rate_limited'],
  member: ['unauthorized', 'forbidden', 'rate_limited'],
  admin: ['unauthorized', 'forbidden', 'rate_limited'],
  owner: ['unauthorized', 'forbidden', 'rate_limited'],
};
const BY_KEY: Json[] = [{ key: [] }, { session: [] }];
const BY_SESSION: Json[] = [{ session: [] }];
const SECURITY_OF: Record<Auth, Json[]> = {
  ...{ public: [], 'public unlimited': [], key: BY_KEY, 'key rw': BY_KEY },
  ...{ person: BY_SESSION, member: BY_SESSION, admin: BY_SESSION, owner: BY_SESSION },
};
const ERRORS_OF_ALL: ErrorCode[] = ['validation_error', 'method_not_allowed', 'internal_error', 'unavailable'];

export const ERROR_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'request_id'],
      properties: {
        code: { type: 'string', enum: Object.keys(errorCatalogue), description: 'For programs.' },
        message: { type: 'string', description: 'For people.' },
        request_id: { type: 'string', pattern: '^req_[0-9a-hjkmnp-tv-z]{26}$', description: 'The same as the header X-Request-Id.' },
        details: {
          type: 'array',
          description: 'Each problem of the request, on validation_error; the limit that was hit, on quota_exceeded.',
          items: {
            type: 'object',
            required: ['path', 'message'],
            properties: { path: { type: 'string', description: 'JSON Pointer.' }, message: { type: 'string' }, limit: { type: 'string' } },
          },
        },
      },
    },
  },
};

/** The OpenAPI 3.1 document, generated from the route table so that the two can't differ. */
export function openApiDocument<Context>(routes: readonly Route<Context>[], version: string, serverUrl: string): OpenApiDocument {
  const schemas: Record<string, Json> = { Error: ERROR_SCHEMA };
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    const path = route[1].replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route[0].toLowerCase()]: operation(route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Waybill',
      version,
      description:
        'Structured messages between businesses: each is in the recipient’s inbox and the sender’s outbox, belongs to a thread of two parties, and has a public receipt.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    paths,
    ...(schemas.Envelope && { webhooks: webhooksSection(exampleOf(schemas.Envelope, { schemas }, '', 'Envelope')) }),
    components: {
      schemas,
      headers: HEADERS,
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key, wb_…' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'waybill.session_token',
          description:
            'The cookie of a person who has signed in; over HTTPS its name begins with `__Host-`. Requests that change something must come from the service’s own Origin. To act for a business, name its handle in the header `Waybill-Business`.',
        },
      },
    },
  };
}

interface Described {
  status: number;
  description: string;
  schema?: TSchema;
  contentType?: string;
}

const UNCHANGED: Described = {
  status: 304,
  description: 'Nothing has changed since the response whose `ETag` you sent as `If-None-Match`.',
};

function operation<Context>([method, path, auth, endpoint]: Route<Context>, schemas: Record<string, Json>): Operation {
  const { success, also = [], body, form } = endpoint;
  const isIdempotent = parameters('header', endpoint.headers).some(({ name }) => name === 'Idempotency-Key');
  const hasEntityTag = method === 'GET' && success.status === 200 && success.contentType !== EVENT_STREAM;
  const asked = { auth, isIdempotent, hasEntityTag };
  const responses: Record<string, Json> = {};
  for (const response of [success, ...also, ...(hasEntityTag ? [UNCHANGED] : [])]) {
    const { status, description } = response;
    const content = responseContent(response, schemas);
    responses[status] = { description, headers: successHeaders(asked, status), ...(content && { content }) };
  }
  for (const [status, codes] of groupByStatus([...ERRORS_OF[auth], ...endpoint.errors, ...ERRORS_OF_ALL])) {
    const isPage = status === 404 && success.contentType?.startsWith('text/html');
    responses[status] = errorResponse(auth, status, codes, isPage ? (responses[success.status]?.content as Json) : undefined);
  }
  responses[431] = HEADERS_TOO_LARGE;
  return {
    operationId: operationId(method, path),
    summary: endpoint.summary,
    ...(endpoint.description && { description: endpoint.description }),
    tags: [tagOf(path)],
    security: SECURITY_OF[auth],
    'x-auth': auth,
    parameters: [
      ...parameters('path', endpoint.params),
      ...parameters('query', endpoint.query),
      ...parameters('header', endpoint.headers),
      ...businessHeader(auth),
    ],
    ...(body && { requestBody: { required: true, content: bodyContent(body, form, endpoint, schemas) } }),
    responses,
  };
}

function responseContent({ schema, contentType }: Described, schemas: Record<string, Json>) {
  if (schema) {
    const extracted = extract(schema, schemas, true);
    return { 'application/json': { schema: extracted, example: exampleOf(extracted, { schemas }) } };
  }
  return contentType === undefined ? undefined : { [contentType.split(';')[0] as string]: { schema: { type: 'string' } } };
}

function bodyContent(
  body: TSchema,
  form: TSchema | undefined,
  { exactlyOneOf, atLeastOneOf }: { exactlyOneOf?: readonly string[]; atLeastOneOf?: readonly string[] },
  schemas: Record<string, Json>,
): Record<string, { schema: Json; example?: unknown }> {
  const schema = extract(body, schemas, false);
  const rules = [...(exactlyOneOf ? [wantsText('oneOf', exactlyOneOf)] : []), ...(atLeastOneOf ? [wantsText('anyOf', atLeastOneOf)] : [])];
  // The rules stand beside the fields, which may be those of a component.
  if (rules.length > 0)
    Object.assign(typeof schema.$ref === 'string' ? (schemas[schema.$ref.split('/').at(-1) as string] as Json) : schema, { allOf: rules });
  const example = exampleOf(schema, { schemas, isRequest: true, ...(exactlyOneOf && { oneOf: exactlyOneOf }) });
  return {
    'application/json': { schema, example },
    ...(form && { 'multipart/form-data': { schema: extract(form, schemas, false) } }),
  };
}

function groupByStatus(codes: ErrorCode[]): Map<number, ErrorCode[]> {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) groups.set(errorCatalogue[code][0], [...(groups.get(errorCatalogue[code][0]) ?? []), code]);
  return new Map([...groups].sort(([a], [b]) => a - b));
}

function parameters(place: string, schema: TSchema | undefined): Parameter[] {
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(typeof description === 'string' && { description }),
    schema: place === 'path' ? pathSchema(name, { description, ...plain(rest) }) : plain(rest),
  }));
}

function pathSchema(name: string, schema: Json): Json {
  const { description: _, ...rest } = withHandlePattern(name, withPattern({ maxLength: PATH_PARAMETER_MAX_CHARS, ...schema }));
  return rest;
}

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

/** Makes a component of each schema with a name, and refers to it. Fields may be added to responses, so response schemas are open. */
function extract(schema: TSchema, schemas: Record<string, Json>, isResponse: boolean): Json {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (value === null || typeof value !== 'object') return value;
    const { $id, ...rest } = value as Json;
    if (isResponse && rest.additionalProperties === false) delete rest.additionalProperties;
    const walked = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, walk(inner)]));
    const seen = isResponse ? withPattern(walked) : walked;
    if (typeof $id !== 'string') return seen;
    schemas[$id] = seen;
    return { $ref: `#/components/schemas/${$id}` };
  };
  return walk(plain(schema)) as Json;
}

function operationId(method: string, path: string): string {
  const words = path.split(/[/:]+/).filter((word) => word !== '' && word !== 'v1');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function tagOf(path: string): string {
  return path.startsWith('/v1/') ? (path.split('/')[2] as string) : 'pages';
}
