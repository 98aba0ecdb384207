import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { api } from '../../server/src/app.ts';
import { MESSAGE_TEXTS, TEXT_NAMES } from '../../server/src/contract/message-fields.ts';
import { type OpenApiDocument, type Operation, openApiDocument } from '../../server/src/http/openapi.ts';
import type { Schema } from '../../server/src/http/openapi-schema.ts';
import { parameterName, pascal, SchemaTypes } from './schema-types.ts';

/** Types and operations of the Python client, generated from the OpenAPI document by `npm run python-types`. */
const FOLDER = path.join(import.meta.dirname, 'src/waybill');
const NOTE = '"""%.\n\nGenerated from the OpenAPI document by `npm run python-types`; a test fails when it is out of date.\n"""\n\n';
const LINE_MAX = 120;

/** POSTs that can be repeated: they change nothing, or the same however often they are sent. All other POSTs are sent once. */
const REPEATABLE_POSTS = new Set([
  ...['/v1/uploads', '/v1/uploads/{id}/parts', '/v1/uploads/{id}/complete'],
  ...['/v1/threads/{id}/read', '/v1/threads/batch', '/v1/notifications/read'],
  ...['lease', 'ack', 'extend', 'release', 'unpark', 'seek'].map((action) => `/v1/consumers/{name}/${action}`),
  ...['/v1/blocks', '/v1/contacts', '/v1/inbox/schema/check', '/v1/schema-check'],
]);
/** Operations that the client has by hand, because their bodies or responses are not plain JSON. */
const BY_HAND = new Set(['postMessages', 'getEvents', 'getExport']);
/** Types of responses that the client reads by hand. */
const ALSO_TYPED = ['Envelope', 'EnvelopeSummary', 'Error'];

/** Key: file name. Value: the text that the file should have. */
export function currentFiles(): Map<string, string> {
  const document = openApiDocument(api, '', '');
  const types = new SchemaTypes(document.components.schemas);
  for (const name of ALSO_TYPED) types.typeOf({ $ref: `#/components/schemas/${name}` }, name);
  const operations = offered(document).map((each) => functionText(each, types));
  const codes = errorCodes(document);
  return new Map([
    [path.join(FOLDER, 'types.py'), typesFile(types, codes)],
    [path.join(FOLDER, 'operations.py'), operationsFile(operations)],
  ]);
}

interface Offered {
  method: string;
  path: string;
  operation: Operation;
}

/** Selects the operations of keys. The others need a signed-in person. */
function offered({ paths }: OpenApiDocument): Offered[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
      .filter(
        ({ operation }) =>
          ['key', 'key rw', 'public'].includes(operation['x-auth']) && !BY_HAND.has(operation.operationId) && isPlain(operation),
      ),
  );
}

function isPlain({ responses }: Operation): boolean {
  const [, success] = Object.entries(responses)[0] ?? [];
  return success?.content === undefined || 'application/json' in success.content;
}

function errorCodes({ components }: OpenApiDocument): readonly unknown[] {
  return components.schemas['Error']?.properties?.['error']?.properties?.['code']?.enum ?? [];
}

function typesFile(types: SchemaTypes, codes: readonly unknown[]): string {
  const header = `${NOTE.replace('%', 'What the API takes and returns')}from __future__ import annotations

import sys
from typing import Any, Literal, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired  # comes with httpx
`;
  const list = codes.map((code) => `    ${JSON.stringify(code)},\n`).join('');
  return `${header}\nErrorCode = Literal[\n${list}]\n\n${hashedNames()}\n\n${types.text()}`;
}

/** The texts of a message that content_hash covers, in every message, and in those that have them. */
function hashedNames(): string {
  const names = (hashed: string) =>
    JSON.stringify(TEXT_NAMES.filter((name) => MESSAGE_TEXTS[name].hashed === hashed)).replaceAll(',', ', ');
  return `ALWAYS_HASHED: list[str] = ${names('always')}\nHASHED_IF_GIVEN: list[str] = ${names('if given')}\n`;
}

function operationsFile(operations: string[]): string {
  return `${NOTE.replace('%', 'Every operation that a key can call, for `client.do()`, `client.items()` and `client.pages()`')}from __future__ import annotations

from typing import TYPE_CHECKING

from . import types
from .call import Call, Paged, call, paged
from .message import Leased, Message, leased_messages, message_of, page_of_messages

if TYPE_CHECKING:
    from typing_extensions import Unpack


${operations.join('\n\n')}`;
}

/** Writes a Python function that describes one request, which the client makes. */
function functionText({ method, path, operation }: Offered, types: SchemaTypes): string {
  const { operationId, parameters, requestBody, summary } = operation;
  const name = operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const { type, reader } = responseOf(operation, types);
  const paged = type.startsWith('Paged[');
  const body = requestBody?.content['application/json']?.schema;
  const taken = [
    ...inPath.map((parameter) => `${parameterName(parameter.name)}: str`),
    ...(body ? [`body: types.${types.typeOf(body, `${pascal(operationId)}Body`)}`] : []),
    ...(query.length > 0 ? [`**query: Unpack[types.${queryOf(operationId, query, types)}]`] : []),
  ];
  const given = [
    `"${method}"`,
    `"${path}"`,
    ...(reader === '' ? [] : [reader]),
    ...(inPath.length > 0 ? [`path=[${inPath.map((parameter) => parameterName(parameter.name)).join(', ')}]`] : []),
    ...(query.length > 0 ? ['query=query'] : []),
    ...(body ? ['body=body'] : []),
    ...(method === 'POST' && REPEATABLE_POSTS.has(path) ? ['is_repeatable=True'] : []),
  ];
  const head = listed(`def ${name}(`, taken, `) -> ${type}:`, '');
  return `${head}\n    """${summary}."""\n${listed(`    return ${paged ? 'paged' : 'call'}(`, given, ')', '    ')}\n`;
}

function queryOf(operationId: string, query: { name: string; schema: Schema }[], types: SchemaTypes): string {
  return types.defineQuery(
    `${pascal(operationId)}Query`,
    query.map(({ name, schema }) => [name, schema]),
  );
}

/** The Python type of a response, and the function that reads it if it is not plain JSON. Messages keep the text of their `json`. */
function responseOf({ responses, operationId }: Operation, types: SchemaTypes): { type: string; reader: string } {
  const [success] = Object.values(responses);
  const schema = success?.content?.['application/json']?.schema;
  if (schema === undefined) return { type: 'Call[None]', reader: 'None' };
  const { data, next_cursor } = schema.properties ?? {};
  const item = data?.items ?? {};
  const refs = [item, ...(item.anyOf ?? [])].map(({ $ref }) => $ref?.split('/').at(-1));
  if (schema.$ref?.endsWith('/Envelope')) return { type: 'Call[Message]', reader: 'message_of' };
  if (refs.includes('LeasedMessage')) return { type: 'Call[list[Leased]]', reader: 'leased_messages' };
  if (data && next_cursor && refs.includes('Envelope')) return { type: 'Paged[Message]', reader: 'page_of_messages' };
  if (data && next_cursor) return { type: `Paged[${qualified(types.typeOf(item, `${pascal(operationId)}Item`))}]`, reader: '' };
  return { type: `Call[${qualified(types.typeOf(schema, `${pascal(operationId)}Response`))}]`, reader: '' };
}

function qualified(type: string): string {
  return type.replace(/\b(?!types\b)[A-Z]\w*/g, (name) => (name === 'Any' || name === 'None' ? name : `types.${name}`));
}

/** Writes the list on one line if it fits, otherwise one item on each line. */
function listed(open: string, items: string[], close: string, indent: string): string {
  const line = `${open}${items.join(', ')}${close}`;
  if (line.length <= LINE_MAX) return line;
  return `${open}\n${items.map((item) => `${indent}    ${item}${item.startsWith('**') ? '' : ','}\n`).join('')}${indent}${close}`;
}

if (import.meta.main) {
  for (const [file, text] of currentFiles()) {
    const isNew = readFileSync(file, { encoding: 'utf8', flag: 'a+' }) !== text;
    writeFileSync(file, text);
    console.log(`${path.relative(process.cwd(), file)} ${isNew ? 'has changed.' : 'is up to date.'}`);
  }
}
