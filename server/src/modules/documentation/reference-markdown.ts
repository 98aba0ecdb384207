import { errorCatalogue } from '../../contract/errors.ts';
import type { Auth } from '../../http/endpoint.ts';
import type { OpenApiDocument, Operation } from '../../http/openapi.ts';
import type { Schema } from '../../http/openapi-schema.ts';
import { OBJECTS } from './fields.ts';
import { REFERENCE } from './library.ts';

const AUTH_WORDS: Record<Auth, string> = {
  key: 'any key',
  'key rw': 'a key with scope read_write',
  public: 'no key',
  'public unlimited': 'no key',
  person: 'a signed-in person',
  member: 'a signed-in member',
  admin: 'a signed-in admin or owner',
  owner: 'a signed-in owner',
};

/** The reference, generated from the OpenAPI document. Key: address. It has one text of everything, the objects, and each endpoint. */
export function referenceMarkdown({ info, servers, paths, components }: OpenApiDocument): ReadonlyMap<string, string> {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [operation.operationId, operationMarkdown(`${method.toUpperCase()} ${path}`, operation)] as const,
    ),
  );
  const schemas = Object.entries(components.schemas)
    .map(([name, schema]) => `### ${name}\n\n${schema.description === undefined ? '' : `${schema.description}\n\n`}${fieldLines(schema)}`)
    .join('\n');
  const errors = Object.entries(errorCatalogue).map(([code, [status, when]]) => `- \`${code}\` (${status}): ${when}`);
  const whole = `# API reference

${info.description}

Version ${info.version}. Base URL: ${servers[0]?.url ?? ''}. Send your key with every request: \`Authorization: Bearer wb_…\`. Lists come in pages: pass
\`next_cursor\` back as \`cursor\`.

## Endpoints

${operations.map(([, text]) => text).join('\n')}
## Schemas

${schemas}
## Errors

Every refusal has the shape of Error.

${errors.join('\n')}
`;
  return new Map([
    [REFERENCE, whole],
    [OBJECTS, `# Objects\n\n${schemas}`],
    ...operations.map(([id, text]) => [`${REFERENCE}/${id}`, text.slice('##'.length)] as const),
  ]);
}

function operationMarkdown(name: string, operation: Operation): string {
  const { summary, description, parameters, requestBody, responses } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const [[status, success] = ['', undefined]] = Object.entries(responses);
  const schema = Object.values(success?.content ?? {})[0]?.schema;
  const codes = Object.values(responses).flatMap((response) => response['x-error-codes'] ?? []);
  const lines = [
    `### ${name}\n`,
    `${summary}. Needs ${AUTH_WORDS[operation['x-auth']]}.${description === undefined ? '' : ` ${description}`}\n`,
    ...parameters.map((one) => fieldLine(`${one.name}\` (${one.in})`, one.schema, one.required, one.description)),
    ...(body ? [`\nBody${body.$ref === undefined ? ':' : `: ${typeWords(body)}`}\n`, fieldLines(body)] : []),
    `\nResponse ${status}: ${success?.description ?? ''}${schema ? ` ${typeWords(schema)}` : ''}\n`,
    ...(schema && schema.$ref === undefined ? [fieldLines(schema)] : []),
    ...(codes.length > 0 ? [`Errors: ${codes.join(', ')}\n`] : []),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function fieldLines(schema: Schema): string {
  if (schema.anyOf && schema.properties === undefined) return schema.anyOf.map((one) => fieldLines(one)).join('\nor\n\n');
  const required = schema.required ?? [];
  const lines = Object.entries(schema.properties ?? {}).map(([name, field]) => fieldLine(`${name}\``, field, required.includes(name)));
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function fieldLine(name: string, schema: Schema, isRequired: boolean, description = schema.description): string {
  const words = `${typeWords(schema)}${isRequired ? '' : ', optional'}`;
  return `- \`${name}: ${words}${description === undefined ? '' : `. ${description}`}`;
}

function typeWords(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.anyOf) return schema.anyOf.map(typeWords).join(' or ');
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(' or ');
  if ('const' in schema) return `\`${schema.const}\``;
  if (schema.type === 'array') return `array of ${typeWords(schema.items ?? {})}`;
  if (schema.type === 'object' && schema.properties) return `object with ${Object.keys(schema.properties).join(', ')}`;
  const bounds = [
    ...(schema.maxLength === undefined ? [] : [`at most ${schema.maxLength} characters`]),
    ...(schema.maximum === undefined ? [] : [`${schema.minimum ?? ''} to ${schema.maximum}`]),
  ];
  return `${schema.format ?? schema.type ?? 'any JSON value'}${bounds.length === 0 ? '' : ` (${bounds.join(', ')})`}`;
}
