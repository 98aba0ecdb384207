import { expect, test } from 'vitest';
import { api } from '../../src/app.ts';
import { openApiDocument } from '../../src/http/openapi.ts';
import { sharedDocument } from '../../src/http/openapi-shared.ts';
import { StaticDocument } from '../../src/http/static-document.ts';
import { closedValidator } from '../support/closed-schema.ts';
import { resolved } from '../support/openapi.ts';
import { rows } from '../support/table.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
type Json = any;

const document: Json = JSON.parse(JSON.stringify(openApiDocument(api, '1.0.0', 'https://waybill.example')));
/** The document of GET /openapi.json. Another test compares it with the served one. */
const served: Json = JSON.parse(JSON.stringify(sharedDocument(openApiDocument(api, '1.0.0', 'https://waybill.example'))));
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

test('says the same when its parts are shared, in fewer than 600 KB', () => {
  const { components, ...rest } = resolved(served);
  const { parameters, responses, ...others } = components;
  expect(others).toEqual(document.components);
  const withoutDescriptions = ({ paths, ...more }: Json) => ({
    ...more,
    paths: JSON.parse(JSON.stringify(paths), (key, value) => (key === 'description' ? undefined : value)),
  });
  const { components: _, ...expected } = document;
  expect(withoutDescriptions(rest)).toEqual(withoutDescriptions(expected));
  expect(JSON.stringify(served).length).toBeLessThan(600_000);
  expect([Object.keys(parameters).length, Object.keys(responses).length].every((count) => count > 10)).toBe(true);
});

test('meets the rules of linters: tags and components that are defined and used, descriptions, items of arrays', () => {
  const tags = served.tags.map(({ name }: Json) => name);
  const text = JSON.stringify(served);
  const inOperations = new Set<string>();
  for (const methods of Object.values(served.paths) as Json[])
    for (const [method, operation] of Object.entries(methods) as [string, Json][]) {
      expect(operation.description, `${method} ${operation.operationId}`).toMatch(/\S/);
      expect(operation.tags.filter((tag: string) => !tags.includes(tag))).toEqual([]);
      for (const tag of operation.tags) inOperations.add(tag);
    }
  expect([...inOperations].sort()).toEqual(tags.toSorted());
  for (const { description } of served.tags) expect(description).toMatch(/\S/);
  for (const [kind, components] of Object.entries(served.components as Record<string, object>)) {
    if (kind === 'securitySchemes') continue;
    for (const name of Object.keys(components)) expect(text, `${kind} ${name} is not used`).toContain(`"#/components/${kind}/${name}"`);
  }
  JSON.parse(text, (_, value) => {
    if (value?.type === 'array') expect(value.items, JSON.stringify(value)).toBeDefined();
    return value;
  });
});

test('describes proofs as objects', () => {
  for (const path of ['/v1/receipts/:token/proof', '/v1/messages/:id/proof']) {
    const { schema } = operationOf('GET', path).responses['200'].content['application/vnd.waybill.proof+json'];
    expect(schema).toEqual({ $ref: '#/components/schemas/Proof' });
  }
  expect(document.components.schemas.Proof).toMatchObject({ type: 'object', required: ['format', 'envelope', 'log', 'proof'] });
});

test('is compressed once for each encoding', async () => {
  const whole = new StaticDocument(JSON.stringify(served));
  for (const encoding of ['zstd', 'br', 'gzip', 'identity']) {
    const ask = () => whole.respondTo({ headers: { 'accept-encoding': encoding } });
    const [one, two] = await Promise.all([ask(), ask()]);
    expect(two.body).toBe(one.body);
    expect((await ask()).body).toBe(one.body);
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
      if (Number(status) < 300 && auth !== 'public unlimited')
        for (const name of ['RateLimit-Policy', 'RateLimit', 'RateLimit-Cost']) expect(headers[name], path).toBeDefined();
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
  // An object or a boolean is described as any value except the other types, because some languages have no unions.
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
      'message.expired',
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
