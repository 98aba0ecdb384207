import type { TSchema } from 'typebox';
import { AcknowledgedMessageSchema } from '../contract/acknowledgements.ts';
import { type ErrorCode, errorCatalogue } from '../contract/errors.ts';
import { PATH_PARAMETER_MAX_CHARS } from '../contract/limits.ts';
import { isRecord } from '../contract/records.ts';
import { UpdatedThreadSchema } from '../contract/threads.ts';
import { type Auth, EVENT_STREAM, type Route } from './endpoint.ts';
import { exampleOf } from './openapi-examples.ts';
import {
  businessHeader,
  type Content,
  errorResponse,
  HEADERS,
  HEADERS_TOO_LARGE,
  type Parameter,
  type Response,
  successHeaders,
  wantsFields,
  withHandlePattern,
  withPattern,
} from './openapi-parts.ts';
import { component, forGenerators, type Schema, type Schemas } from './openapi-schema.ts';
import { tagList, tagOf } from './openapi-tags.ts';
import { webhooksSection } from './openapi-webhooks.ts';

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters: Parameter[];
  security: Security;
  'x-auth': Auth;
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Response>;
}

type Security = Record<string, string[]>[];

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string; license: { name: string; identifier: string }; contact: { url: string } };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: ReturnType<typeof webhooksSection>;
  components: { schemas: Schemas; headers: typeof HEADERS; securitySchemes: Record<string, object> };
}

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
const BY_KEY: Security = [{ key: [] }, { session: [] }];
const BY_SESSION: Security = [{ session: [] }];
const SECURITY_OF: Record<Auth, Security> = {
  ...{ public: [], 'public unlimited': [], key: BY_KEY, 'key rw': BY_KEY },
  ...{ person: BY_SESSION, member: BY_SESSION, admin: BY_SESSION, owner: BY_SESSION },
};
const ERRORS_OF_ALL: ErrorCode[] = ['validation_error', 'method_not_allowed', 'internal_error', 'unavailable'];

const ERROR_SCHEMA = {
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
          description:
            'Each problem of the request, on validation_error; the limit that was hit, on quota_exceeded; where the text is no longer JSON, on invalid_json.',
          items: {
            type: 'object',
            required: ['path', 'message'],
            properties: {
              path: { type: 'string', description: 'JSON Pointer.' },
              message: { type: 'string' },
              limit: { type: 'string' },
              line: { type: 'integer', minimum: 1 },
              column: { type: 'integer', minimum: 1, description: 'In characters.' },
              offset: { type: 'integer', minimum: 0, description: 'In bytes.' },
            },
          },
        },
      },
    },
  },
};

/** The OpenAPI 3.1 document, generated from the route table so that the two can't differ. */
export function openApiDocument<Context>(routes: readonly Route<Context>[], version: string, serverUrl: string): OpenApiDocument {
  const steps = documentSteps(routes, version, serverUrl);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

export function* documentSteps<Context>(
  routes: readonly Route<Context>[],
  version: string,
  serverUrl: string,
): Generator<void, OpenApiDocument> {
  const schemas: Schemas = { Error: ERROR_SCHEMA };
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    const path = route[1].replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route[0].toLowerCase()]: operation(route, schemas) };
    yield;
  }
  extract(UpdatedThreadSchema, schemas, true);
  extract(AcknowledgedMessageSchema, schemas, true);
  const bodyOf = (name: string) => {
    const schema = { $ref: `#/components/schemas/${name}` };
    return { schema, example: exampleOf(schema, { schemas }) };
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Waybill',
      version,
      description:
        'Structured messages between businesses: each is in the recipient’s inbox and the sender’s outbox, belongs to a thread of two parties, and has a public receipt.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { url: `${serverUrl}/docs` },
    },
    servers: [{ url: serverUrl }],
    tags: tagList(new Set(routes.map(([, path]) => tagOf(path)))),
    paths,
    ...(schemas['Envelope'] && schemas['Webhook'] && { webhooks: webhooksSection(bodyOf) }),
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
  otherContentType?: string;
}

const UNCHANGED: Described = {
  status: 304,
  description: 'Nothing has changed since the response whose `ETag` you sent as `If-None-Match`.',
};

function operation<Context>([method, path, auth, endpoint]: Route<Context>, schemas: Schemas): Operation {
  const { success, also = [], body, form } = endpoint;
  // A batch says of each message whether it was sent before.
  const asks = (header: string) => success.status === 201 && parameters('header', endpoint.headers).some(({ name }) => name === header);
  const [isIdempotent, isPromised] = [asks('Idempotency-Key'), asks('Prefer')];
  const hasEntityTag = method === 'GET' && success.status === 200 && success.contentType !== EVENT_STREAM;
  const asked = { auth, isIdempotent, isPromised, hasEntityTag };
  const responses: Record<string, Response> = {};
  for (const response of [success, ...also, ...(hasEntityTag ? [UNCHANGED] : [])]) {
    const { status, description } = response;
    const content = responseContent(response, schemas);
    responses[status] = { description, headers: successHeaders(asked, status), ...(content && { content }) };
  }
  for (const [status, codes] of groupByStatus([...ERRORS_OF[auth], ...endpoint.errors, ...ERRORS_OF_ALL])) {
    const isPage = status === 404 && success.contentType?.startsWith('text/html');
    responses[status] = errorResponse(auth, status, codes, isPage ? responses[success.status]?.content : undefined);
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

function responseContent(
  { schema, contentType = schema && 'application/json', otherContentType }: Described,
  schemas: Schemas,
): Content | undefined {
  const types = [contentType, otherContentType].flatMap((type) => type?.replace(/;.*/, '') ?? []);
  const extracted = schema && extract(schema, schemas, true);
  const contentOf = (type: string) =>
    extracted && /\bjson$/.test(type) ? { schema: extracted, example: exampleOf(extracted, { schemas }) } : { schema: { type: 'string' } };
  return types.length === 0 ? undefined : Object.fromEntries(types.map((type) => [type, contentOf(type)]));
}

function bodyContent(
  body: TSchema,
  form: TSchema | undefined,
  { exactlyOneOf, atLeastOneOf }: { exactlyOneOf?: readonly string[]; atLeastOneOf?: readonly string[] },
  schemas: Schemas,
): Content {
  const schema = extract(body, schemas, false);
  // The rules go beside the fields, which may be in a component.
  const owner = schema.$ref === undefined ? schema : component(schema.$ref, schemas).schema;
  const rules = [
    ...(exactlyOneOf ? [wantsFields('oneOf', exactlyOneOf, owner)] : []),
    ...(atLeastOneOf ? [wantsFields('anyOf', atLeastOneOf, owner)] : []),
  ];
  if (rules.length > 0) Object.assign(owner, { allOf: rules });
  const example = exampleOf(schema, { schemas, isRequest: true, ...(exactlyOneOf && { oneOf: exactlyOneOf }) });
  return {
    'application/json': { schema, example },
    ...(form && { 'multipart/form-data': { schema: extract(form, schemas, false) } }),
  };
}

function groupByStatus(codes: ErrorCode[]): Map<number, [ErrorCode, ...ErrorCode[]]> {
  const groups = new Map<number, [ErrorCode, ...ErrorCode[]]>();
  for (const code of new Set(codes)) {
    const [status] = errorCatalogue[code];
    const group = groups.get(status);
    if (group) group.push(code);
    else groups.set(status, [code]);
  }
  return new Map([...groups].sort(([a], [b]) => a - b));
}

function parameters(place: string, schema: TSchema | undefined): Parameter[] {
  const { properties = {}, required = [] } = plain(schema ?? {}, forGenerators);
  return Object.entries(properties).map(([name, field]) => {
    const { description, ...rest } = field;
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema: place === 'path' ? pathSchema(name, field) : rest,
    };
  });
}

function pathSchema(name: string, schema: Schema): Schema {
  const { description: _, ...rest } = withHandlePattern(name, withPattern({ maxLength: PATH_PARAMETER_MAX_CHARS, ...schema }));
  return rest;
}

function plain(schema: TSchema, change: (schema: Schema) => Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_, value) => (isSchema(value) ? change(value) : value));
}

function isSchema(value: unknown): value is Schema {
  return isRecord(value);
}

/** Makes a component of each named schema. Response schemas are open, because fields may be added to responses. */
function extract(schema: TSchema, schemas: Schemas, isResponse: boolean): Schema {
  return plain(schema, (value) => {
    const { $id, ...rest } = forGenerators(value);
    if (isResponse && rest.additionalProperties === false) delete rest.additionalProperties;
    const seen = isResponse ? withPattern(rest) : rest;
    if (typeof $id !== 'string') return seen;
    schemas[$id] = withTitles($id, seen);
    return { $ref: `#/components/schemas/${$id}` };
  });
}

/** Names the variants of a union by their `kind`, such as HandleParty: generators would number them. */
function withTitles(name: string, schema: Schema): Schema {
  if (!schema.anyOf?.every(({ properties }) => typeof properties?.['kind']?.const === 'string')) return schema;
  return {
    ...schema,
    anyOf: schema.anyOf.map((each) => ({ title: capitalized(String(each.properties?.['kind']?.const)) + name, ...each })),
  };
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Camel case, because generators of clients turn ids into function names. */
function operationId(method: string, path: string): string {
  const words = path.split(/[/:._-]+/).filter((word) => word !== '' && word !== 'v1');
  return method.toLowerCase() + words.map(capitalized).join('');
}
