import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorCatalogue, errorCodes } from '../../src/contract/errors.ts';
import { goodRequestsOfAccount } from '../support/account-requests.ts';
import type { Api, ApiResponse } from '../support/api.ts';
import type { Browser } from '../support/browser.ts';
import { claimedBy } from '../support/businesses.ts';
import { closedValidator } from '../support/closed-schema.ts';
import { goodRequestsOfKeys } from '../support/key-requests.ts';
import type { MemberApi } from '../support/member.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { resolved } from '../support/openapi.ts';
import { signInWithCode } from '../support/people.ts';
import { goodRequestsOfPeople } from '../support/people-requests.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { queryNames, rows, unsignedRows } from '../support/table.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
type Json = any;

let service: TestService;
let acme: TestBusiness;
let reader: Api;
let jane: Browser;
let owner: MemberApi;
let names: NameServer;
let served: Json;
let document: Json;
let sent: Json;

beforeAll(async () => {
  names = await startNameServer();
  service = await startTestService({ WEBHOOK_PRIVATE_HOSTS: '127.0.0.1', DNS_SERVERS: names.address });
  acme = await service.business('acme', { segment: 'orders' });
  reader = await acme.withKey('read');
  await service.business('globex');
  jane = await signInWithCode(service, 'jane@corp.example');
  owner = await claimedBy(service, 'olga@corp.example', 'olgas');
  served = (await service.anonymous.request('GET', '/openapi.json')).body;
  document = resolved(served);
  sent = (await acme.api.send({ to: 'globex', type: 'order', json: { a: 1 } }, { 'idempotency-key': 'k' })).body;
  await acme.api.send({ in_reply_to: sent.id, note: 'again' });
  await acme.api.send({ to: 'acme', subject: 'to oneself' });
});
afterAll(async () => {
  await service.stop();
  await names.stop();
});

/** In strict mode, a keyword that JSON Schema does not know is an error. */
function validator(schema: Json): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
  ajv.addKeyword('components');
  ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  return ajv.compile({ ...schema, components: { schemas: document.components.schemas } });
}

const pathInDocument = (path: string) => path.replace(/:(\w+)/g, '{$1}');
const operationOf = (method: string, path: string): Json => document.paths[pathInDocument(path)]?.[method.toLowerCase()];
const operations = (): [name: string, operation: Json][] =>
  Object.entries(document.paths as Record<string, Json>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Json] => [`${method.toUpperCase()} ${path}`, operation]),
  );

/** The response has a declared status, and the shape that its operation declares for it. */
function expectDeclared(method: string, path: string, response: ApiResponse): void {
  const declared = operationOf(method, path).responses[response.status];
  expect(declared, `${method} ${path} does not declare ${response.status}`).toBeDefined();
  if (response.status === 204) {
    expect([response.text, declared.content]).toEqual(['', undefined]);
    return;
  }
  const type = response.headers.get('content-type')?.split(';')[0] as string;
  const { schema } = declared.content[type] ?? {};
  expect(schema, `${method} ${path} does not declare ${type}`).toBeDefined();
  if (type === 'application/json') {
    const validate = closedValidator(document, schema);
    expect(validate(response.body), `${response.text}\n${JSON.stringify(validate.errors)}`).toBe(true);
  }
  if (response.status >= 400 && type === 'application/json') expect(declared['x-error-codes']).toContain(response.body.error.code);
}

describe('/openapi.json', () => {
  test('is OpenAPI 3.1 and names what it describes', async () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: 'Waybill', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(document.servers).toEqual([{ url: service.url }]);
    expect(document.components.securitySchemes.key).toMatchObject({ type: 'http', scheme: 'bearer' });
  });

  test('lists exactly the routes of the table', () => {
    const inTable = rows.map(({ method, path }) => `${method} ${pathInDocument(path)}`);
    expect(
      operations()
        .map(([name]) => name)
        .sort(),
    ).toEqual(inTable.sort());
  });

  test('lists exactly the codes of the catalogue', () => {
    expect(document.components.schemas.Error.properties.error.properties.code.enum).toEqual(errorCodes);
  });

  test('gives every operation a name of its own, a summary, a response and its refusals', () => {
    const names = operations().map(([, { operationId }]) => operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const [name, { summary, responses }] of operations()) {
      expect(summary, name).toMatch(/\S/);
      const statuses = Object.keys(responses).map(Number);
      expect(
        statuses.filter((status) => status < 300),
        name,
      ).not.toEqual([]);
      for (const response of Object.values(responses) as Json[]) expect(response.description, name).toMatch(/\S/);
    }
  });

  test('files each code under its own status', () => {
    for (const [name, { responses }] of operations()) {
      for (const [status, response] of Object.entries(responses as Record<string, Json>)) {
        for (const code of (response['x-error-codes'] ?? []) as (keyof typeof errorCatalogue)[])
          expect(errorCatalogue[code][0], name).toBe(Number(status));
      }
    }
  });

  test('asks for a key or a session exactly where the table does', () => {
    for (const { method, path, auth } of rows) {
      const { security, responses } = operationOf(method, path);
      const isOpen = auth === 'public unlimited' || auth === 'public';
      const isKeyed = auth === 'key' || auth === 'key rw';
      expect(security, path).toEqual(isOpen ? [] : isKeyed ? [{ key: [] }, { session: [] }] : [{ session: [] }]);
      expect('401' in responses, path).toBe(!isOpen);
      if (!isOpen) expect(responses['403']['x-error-codes'], path).toContain('forbidden');
    }
  });

  test('declares every parameter of a path', () => {
    for (const { method, path } of rows) {
      const declared = operationOf(method, path).parameters.filter((parameter: Json) => parameter.in === 'path' && parameter.required);
      expect(declared.map(({ name }: Json) => name)).toEqual([...path.matchAll(/:(\w+)/g)].map(([, name]) => name));
    }
  });

  test('declares exactly the query parameters that are taken', async () => {
    const candidates = [...queryNames, 'order'];
    for (const { method, path, url, auth } of unsignedRows) {
      if (method !== 'GET') continue;
      const declared = operationOf(method, path)
        .parameters.filter((parameter: Json) => parameter.in === 'query')
        .map(({ name }: Json) => name);
      for (const name of candidates) {
        const asked = `${url}?${name}=%00`;
        const isMembers = auth === 'member' || auth === 'admin' || auth === 'owner';
        const asking = isMembers ? owner.get(asked.slice('/v1'.length)) : (auth === 'person' ? jane : acme.api).request('GET', asked);
        const { body } = await asking;
        const unknown = body.error.details.some(
          (issue: Json) => issue.path === `/${name}` && issue.message === 'is not a field of this request',
        );
        expect(declared.includes(name), `${path}?${name}`).toBe(!unknown);
      }
    }
  });

  test('has only schemas that compile, and references that lead somewhere', () => {
    for (const name of Object.keys(document.components.schemas))
      expect(() => validator({ $ref: `#/components/schemas/${name}` }), name).not.toThrow();
    const references = JSON.stringify(served).match(/"\$ref":"[^"]+"/g) ?? [];
    for (const reference of references) {
      const [, kind = '', name = reference] =
        /^"\$ref":"#\/components\/(schemas|headers|parameters|responses)\/([\w-]+)"$/.exec(reference) ?? [];
      expect(Object.keys(served.components[kind] ?? {})).toContain(name);
    }
  });

  test('declares the fields of every object; requests take no others, and responses may get more', () => {
    for (const name of [
      'Envelope',
      'Receipt',
      'Agent',
      'Webhook',
      'CreatedWebhook',
      'Delivery',
      'Block',
      'Contact',
      'InboxSchema',
      'SchemaCheck',
      'WebhookStatistics',
      'Door',
      'Me',
      'Usage',
      'Account',
      'Business',
      'Member',
      'Invitation',
      'Key',
      'Domain',
      'Session',
      'SignIn',
      'PublicProfile',
      'Availability',
      'SendRequest',
      'Error',
    ]) {
      const { properties, additionalProperties } = document.components.schemas[name];
      expect(Object.keys(properties).length, name).toBeGreaterThan(0);
      expect(additionalProperties, name).toBe(name === 'SendRequest' ? false : undefined);
    }
    for (const [name, { requestBody }] of operations()) {
      const schema = requestBody?.content['application/json'].schema;
      const { additionalProperties } = schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : (schema ?? {});
      if (schema) expect(additionalProperties, name).toBe(false);
    }
  });

  test('gives ids and handles in paths their form, which is not checked: what has another is just not there', async () => {
    const schemaOf = (path: string) => operationOf('GET', path).parameters[0].schema;
    expect(schemaOf('/v1/webhooks/:id').pattern).toBe('^wh_[0-9a-hjkmnp-tv-z]{26}$');
    expect(schemaOf('/v1/public/:handle')).toMatchObject({ minLength: 2, maxLength: 32 });
    expect(document.components.schemas.Webhook.properties.id.pattern).toBe('^wh_[0-9a-hjkmnp-tv-z]{26}$');
    expect((await acme.api.get('/webhooks/no-id')).status).toBe(404);
  });

  test('says of which fields exactly one, or at least one, is wanted', async () => {
    const bodyOf = (path: string) => validator(operationOf('POST', path).requestBody.content['application/json'].schema);
    const cases: [string, object, boolean][] = [
      ['/v1/blocks', {}, false],
      ['/v1/blocks', { user_id: null, email_domain: 'one.example' }, true],
      ['/v1/blocks', { user_id: 'usr_x', email_domain: 'one.example' }, false],
      ['/v1/contacts', { label: 'x' }, false],
      ['/v1/contacts', { handle: 'globex' }, true],
      ['/v1/contacts', { handle: 'globex', domain: 'one.example' }, false],
      ['/v1/messages', { note: 'to nobody' }, false],
      ['/v1/messages', { to: 'globex', in_reply_to: null }, true],
    ];
    for (const [path, body, isGood] of cases) {
      expect(bodyOf(path)(body), `${path} ${JSON.stringify(body)}`).toBe(isGood);
      const { status, text } = await acme.api.request('POST', path, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
      expect(status < 300, `${path} ${JSON.stringify(body)} ${text}`).toBe(isGood);
    }
  });
});

describe('what is served is what is declared', () => {
  const ofAccount = () => goodRequestsOfAccount(service, jane, 'jane@corp.example');
  const all = () => ({ ...goodRequestsOfKeys(service, acme, sent), ...ofAccount(), ...goodRequestsOfPeople(service, owner) });

  test('a good request is known for every row of the table', () => {
    expect(Object.keys(all()).sort()).toEqual(rows.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test.each(rows.map(({ method, path }) => [method, path]))('%s %s responds as declared', async (method, path) => {
    const response = await (all()[`${method} ${path}`] as () => Promise<ApiResponse>)();
    expect(response.status, response.text).toBeLessThan(300);
    expectDeclared(method, path, response);
  });

  test('an upload that is announced in parts is declared, too', async () => {
    const body = { filename: 'a.txt', content_type: 'text/plain', size_bytes: 5, parts: true };
    expectDeclared('POST', '/v1/uploads', await acme.api.write('POST', '/uploads', body));
  });

  test.each(rows.map(({ method, path, url }) => [method, path, url]))('%s %s refuses as declared', async (method, path, url) => {
    const init = method === 'GET' ? {} : { body: '{"colour":1}', headers: { 'content-type': 'application/json' } };
    const broken = method === 'GET' ? {} : { body: '{', headers: { 'content-type': 'application/json' } };
    const plain = method === 'GET' ? {} : { body: '{', headers: { 'content-type': 'text/plain' } };
    const refusals = [
      await acme.api.request(method, `${url}?colour=red`, init),
      await acme.api.request(method, url, init),
      await acme.api.request(method, url, broken),
      await acme.api.request(method, url, plain),
      await service.anonymous.request(method, url, init),
      await reader.request(method, url, init),
      await jane.request(method, `${url}?colour=red`, init),
      await jane.request(method, url, init),
      await jane.request(method, url, plain),
      await jane.request(method, url, { ...init, origin: 'https://evil.example' }),
      await owner.browser.request(method, `${url}?colour=red`, { ...init, headers: { 'waybill-business': 'olgas' } }),
      await owner.browser.request(method, url, { ...init, headers: { 'waybill-business': 'acme' } }),
    ].filter(({ status }) => status >= 400);
    expect(refusals.length).toBeGreaterThan(0);
    for (const refusal of refusals) expectDeclared(method, path, refusal);
  });

  test('the body of a message is declared as it is taken', async () => {
    const { schema } = operationOf('POST', '/v1/messages').requestBody.content['application/json'];
    const validate = validator(schema);
    for (const request of [
      { to: 'acme' },
      { to: 'acme', type: 'a', subject: 'b', note: 'c', json: 1, files: [] },
      { in_reply_to: sent.id, to: null },
    ]) {
      expect([validate(request), (await acme.api.send(request)).status]).toEqual([true, 201]);
    }
    for (const request of [{ to: 1 }, { to: 'acme', josn: 1 }, { to: 'acme', type: 'x'.repeat(81) }, { to: 'acme', files: 'x' }]) {
      expect([validate(request), (await acme.api.send(request)).status]).toEqual([false, 400]);
    }
  });

  test('an error has the declared shape, whatever went wrong', async () => {
    const validate = validator({ $ref: '#/components/schemas/Error' });
    const errors = [
      await service.anonymous.get('/me'),
      await acme.api.get('/nothing'),
      await acme.api.request('PUT', '/v1/me'),
      await acme.api.get('/inbox?limit=0&x=1'),
      await acme.api.send('{'),
      await acme.api.send({ to: 'nobody-has-this' }),
      await acme.api.request('GET', '/%zz'),
    ];
    for (const { body, text } of errors) expect(validate(body), text).toBe(true);
  });
});
