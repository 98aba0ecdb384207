import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { api } from '../server/src/app.ts';
import { type OpenApiDocument, type Operation, openApiDocument } from '../server/src/http/openapi.ts';

type Schema = Record<string, unknown>;

/** The pages know the API by its OpenAPI document alone. `npm run api-types` writes what they see of it. */
export const FILE = path.join(import.meta.dirname, 'src/api/schema.ts');

export function apiTypes(document: OpenApiDocument): string {
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => `export type ${name} = ${typeOf(schema)};\n`);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => `  '${method.toUpperCase()} ${path}': ${operationType(operation)};\n`),
  );
  return [
    '// Made from the OpenAPI document by `npm run api-types`; a test keeps it in step.\n',
    ...schemas,
    `/** By method and path: what a request takes, and what it gives. */\nexport interface Operations {\n${operations.join('')}}\n`,
  ].join('\n');
}

function operationType({ parameters, requestBody, responses }: Operation): string {
  const place = (where: string) => {
    const fields = parameters.filter((parameter) => parameter.in === where);
    return fields.map(({ name, required, schema }) => `${key(name)}${required ? '' : '?'}: ${typeOf(schema)}`);
  };
  const body = requestBody?.content['application/json']?.schema;
  const answer = Object.values((responses[Object.keys(responses)[0] as string]?.content ?? {}) as Record<string, { schema: Schema }>)[0];
  const parts = [
    ...['path', 'query'].map((where) => (place(where).length > 0 ? `${where}: { ${place(where).join('; ')} }` : '')),
    body ? `body: ${typeOf(body)}` : '',
    `answer: ${answer ? typeOf(answer.schema) : 'undefined'}`,
  ];
  return `{ ${parts.filter((part) => part !== '').join('; ')} }`;
}

function typeOf(schema: Schema): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) as string;
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((one) => typeOf(one as Schema)).join(' | ');
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => literal(value)).join(' | ');
  if ('const' in schema) return literal(schema.const);
  if (schema.type === 'array') return `(${typeOf((schema.items ?? {}) as Schema)})[]`;
  if (schema.type === 'object') return objectType(schema);
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'string' || schema.type === 'boolean' || schema.type === 'null') return schema.type;
  return 'unknown';
}

function objectType({ properties, required = [], additionalProperties, patternProperties }: Schema): string {
  const fields = Object.entries((properties ?? {}) as Record<string, Schema>);
  const value = Object.values((patternProperties ?? {}) as Record<string, Schema>)[0] ?? additionalProperties;
  if (fields.length === 0) return typeof value === 'object' ? `Record<string, ${typeOf(value as Schema)}>` : 'Record<string, unknown>';
  return `{ ${fields.map(([name, field]) => `${key(name)}${(required as string[]).includes(name) ? '' : '?'}: ${typeOf(field)}`).join('; ')} }`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : JSON.stringify(value);
}

function key(name: string): string {
  return /^\w+$/.test(name) ? name : literal(name);
}

/** As the service makes it, but for the parts that no type depends on. */
export const currentTypes = (): string => apiTypes(openApiDocument(api, '', ''));

if (import.meta.main) {
  const before = readFileSync(FILE, 'utf8');
  writeFileSync(FILE, currentTypes());
  console.log(
    before === currentTypes() ? 'Nothing has changed.' : `${FILE} is new: look at what the pages make of it (npm run typecheck).`,
  );
}
