import { expect, test } from 'vitest';
import { api } from '../../src/app.ts';
import { openApiDocument } from '../../src/http/openapi.ts';
import { closedValidator } from '../support/closed-schema.ts';
import { rows } from '../support/table.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
type Json = any;

/** What GET /openapi.json sends; another test compares that with what is served. */
const document: Json = JSON.parse(JSON.stringify(openApiDocument(api, '1.0.0', 'https://waybill.example')));
const operationOf = (method: string, path: string): Json => document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
const operations = rows.map(({ method, path }): [name: string, operation: Json] => [`${method} ${path}`, operationOf(method, path)]);

test('has an example of every JSON request and response, each valid by its own schema', () => {
  for (const [name, { requestBody, responses }] of operations) {
    const contents: Json[] = [requestBody, ...Object.values(responses)].flatMap(
      ({ content }: Json = {}) => content?.['application/json'] ?? [],
    );
    for (const { schema, example } of contents) {
      if (schema.$ref === '#/components/schemas/Error' && example === undefined) continue;
      expect(example, `${name} has no example`).toBeDefined();
      const validate = closedValidator(document, schema);
      expect(validate(example), `${name}: ${JSON.stringify(example)}\n${JSON.stringify(validate.errors)}`).toBe(true);
    }
  }
});

test('a field that is not declared fits no schema', () => {
  const { schema, example } = operationOf('GET', '/v1/me').responses['200'].content['application/json'];
  const validate = closedValidator(document, schema);
  expect(validate(example)).toBe(true);
  expect(validate({ ...example, undeclared: 1 })).toBe(false);
  expect(validate({ ...example, business: { ...example.business, undeclared: 1 } })).toBe(false);
});

test('describes for every operation the responses to other methods and large headers, and the headers of responses', () => {
  for (const { method, path, auth } of rows) {
    const { responses } = operationOf(method, path);
    expect(responses['405'].headers.Allow, path).toBeDefined();
    expect(responses['431'], path).toBeDefined();
    for (const [status, { headers }] of Object.entries(responses as Record<string, Json>)) {
      expect(headers['X-Request-Id'], path).toBeDefined();
      if (status === '429' || status === '503') expect(headers['Retry-After'], path).toBeDefined();
      if (Number(status) < 300 && auth !== 'public unlimited') expect(headers['RateLimit-Remaining'], path).toBeDefined();
    }
  }
  expect(operationOf('POST', '/v1/messages').responses['201'].headers['Idempotent-Replayed']).toBeDefined();
  expect(operationOf('GET', '/v1/files/:id').responses['302'].headers.Location).toBeDefined();
});

test('is written for generators of clients: ids in camel case, typed enums, maps, named variants', () => {
  for (const [name, { operationId }] of operations) expect(operationId, name).toMatch(/^[a-z][A-Za-z0-9]*$/);
  const text = JSON.stringify(document, (key, value) => (key === 'example' ? undefined : value));
  expect(text).not.toContain('"patternProperties"');
  expect(text.match(/\{"enum":/g)).toBeNull();
  const { Party, PublishedSchema } = document.components.schemas;
  expect(Party.anyOf.map(({ title }: Json) => title)).toEqual(['HandleParty', 'DomainParty', 'MailboxParty']);
  // An object or a boolean, which languages without unions can't name, is any value but the others.
  const validate = closedValidator(document, PublishedSchema.properties.schema);
  expect([{ a: 1 }, true, null, 'a', 1, []].map((value) => validate(value))).toEqual([true, true, true, false, false, false]);
});

test('tells members to name their business, and keys not to', () => {
  for (const { method, path, auth } of rows) {
    const header = operationOf(method, path).parameters.find(({ name }: Json) => name === 'Waybill-Business');
    const isPublic = auth === 'public unlimited' || auth === 'public' || auth === 'person';
    expect(header?.required, path).toBe(isPublic ? undefined : auth !== 'key' && auth !== 'key rw');
  }
});

test('describes what is posted to webhooks', () => {
  expect(Object.keys(document.webhooks)).toEqual([
    ...[
      'message.received',
      'message.sent',
      'schema.failed',
      'file.hashed',
      'thread.updated',
      'message.acknowledged',
      'webhook.paused',
      'message.test',
    ],
  ]);
  const others: Record<string, string> = {
    'thread.updated': 'UpdatedThread',
    'webhook.paused': 'Webhook',
    'message.acknowledged': 'AcknowledgedMessage',
  };
  for (const [event, { post }] of Object.entries(document.webhooks as Record<string, Json>)) {
    const { schema, example } = post.requestBody.content['application/json'];
    expect(schema).toEqual({ $ref: `#/components/schemas/${others[event] ?? 'Envelope'}` });
    const validate = closedValidator(document, schema);
    expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
    expect(post.parameters.map(({ name }: Json) => name)).toContain('Waybill-Signature');
    expect(post.parameters[0].schema).toEqual({ const: event });
  }
});
