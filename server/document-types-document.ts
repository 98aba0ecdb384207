import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Decimal, DOCUMENT_TYPES, type DocumentType, type Item, type Schema, type Table } from '@waybill/documents';
import { isRecord } from './src/contract/records.ts';

/**
 * docs/document-types.md, made from the catalogue in packages/documents: each type with its first example, drawn by its layout, and its properties.
 * `npm run document-types` writes it. A test compares the two.
 */
export const FILE = path.join(import.meta.dirname, '../docs/document-types.md');

const INTRODUCTION = `# Document types

Every type of document that the service ships, made from the catalogue itself (\`npm run document-types\`), each with an example as its layout draws it.
[Business documents](guides/documents.md) says how to use them; \`GET /v1/document-types/{type}\` has the same as JSON.

A property in **bold** is required. BT-… and BG-… are the business terms of EN 16931 that the property becomes in an invoice; \`cbc:\` and \`cac:\` are elements of
UBL 2.1, beginning at the element of the object around them.
`;

/** The objects that several types have, by their names. They are listed once, at the end. */
const SHARED = new Map<string, Schema>(DOCUMENT_TYPES.flatMap(({ schema: { $defs } }) => objectsIn($defs)));

function objectsIn(parts: unknown): [name: string, part: Schema][] {
  return Object.entries(isRecord(parts) ? parts : {}).flatMap(([name, part]) =>
    isRecord(part) && 'properties' in part ? [[name, part]] : [],
  );
}

export function documentTypesDocument(): string {
  const types = DOCUMENT_TYPES.map(typeText).join('');
  const parts = [...SHARED].map(([name, part]) => `\n### ${name}\n\n${part.description}\n\n${propertyTable(part)}`);
  return `${INTRODUCTION}${types}\n## Shared parts\n${parts.join('')}`;
}

function typeText(type: DocumentType): string {
  const { schema, description } = type;
  return `\n## ${type.title}\n\n\`${type.type}\`: ${description}\n\n${exampleText(type)}\n### Properties of \`${type.type}\`\n\n${propertyTable(schema)}`;
}

function propertyTable(schema: Schema): string {
  return table(['Property', 'Label', 'Meaning'], propertyRows(schema, ''));
}

function propertyRows({ properties = {}, required = [] }: Schema, at: string): string[][] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const { title = '', description = '', items, enum: options } = property;
    const shared = partName(items ?? property);
    const place = `${at}${name}${items ? '[]' : ''}`;
    const shown = required.includes(name) ? `**\`${place}\`**` : `\`${place}\``;
    const choices = options ? ` One of ${options.map((option) => `\`${option}\``).join(', ')}.` : '';
    const more = SHARED.has(shared) ? ` See [${shared}](#${shared}).` : '';
    return [[shown, title, `${description}${choices}${more}`], ...propertyRows(items ?? property, `${place}.`)];
  });
}

const partName = ({ $ref = '' }: Schema) => $ref.replace('#/$defs/', '');

/** The first example, drawn by the layout. */
function exampleText(type: DocumentType): string {
  const { layout, schema } = type;
  const [example] = type.samples;
  const draw = (items: readonly Item[]) => items.flatMap((item) => drawn(item, example, schema));
  const tables = [...(layout.lines ? [layout.lines] : []), ...layout.tables].map((one) => rowsText(one, example, schema));
  const parties = layout.parties.flatMap((pointer) => drawn({ path: pointer }, example, schema));
  const notes = layout.notes.flatMap((pointer) => drawn({ path: pointer }, example, schema));
  const facts = [...draw([{ path: layout.number }]), ...parties, ...draw(layout.facts)];
  const rest = [...draw(layout.totals), ...draw(layout.terms), ...notes];
  return [`${table(['', ''], facts)}`, ...tables, ...(rest.length > 0 ? [table(['', ''], rest)] : [])]
    .filter((text) => text !== '')
    .join('\n');
}

function rowsText({ path: pointer, columns }: Table, document: unknown, schema: Schema): string {
  const rows = valueAt(document, pointer);
  const items = schemaAt(schema, schema, pointer)?.items;
  if (!Array.isArray(rows) || !items) return '';
  const filled = columns.filter((column) => rows.some((row) => valueAt(row, column.path) !== undefined));
  const head = filled.map(({ path: at }) => schemaAt(schema, items, at)?.title ?? '');
  return table(
    head,
    rows.map((row) => filled.map((column) => shownValue(valueAt(row, column.path), column))),
  );
}

/** A label and a value, or nothing for a value that the document does not have. */
function drawn(item: Item, document: unknown, schema: Schema): string[][] {
  const value = valueAt(document, item.path);
  return value === undefined ? [] : [[schemaAt(schema, schema, item.path)?.title ?? '', shownValue(value, item)]];
}

function shownValue(value: unknown, { format }: Item): string {
  if (isRecord(value)) return partyText(value);
  const text = String(value ?? '');
  const number = format && Decimal.parse(text);
  if (!number) return text;
  return format === 'money' ? number.toString(2) : format === 'percent' ? `${number} %` : number.toString();
}

function partyText({ name, address }: Record<string, unknown>): string {
  const { street, postal_code: code, city, country } = isRecord(address) ? address : {};
  return [name, street, `${code} ${city}`, country].join(', ');
}

function valueAt(value: unknown, pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  return names.reduce((part: unknown, name) => (isRecord(part) ? part[name] : undefined), value);
}

function schemaAt(root: Schema, from: Schema, pointer: string): Schema | undefined {
  const names = pointer.split('/').slice(1);
  return names.reduce((part: Schema | undefined, name) => part && whole(root, part).properties?.[name], from);
}

function whole({ $defs }: Schema, schema: Schema): Schema {
  const part: unknown = isRecord($defs) ? $defs[partName(schema)] : undefined;
  return isRecord(part) ? part : schema;
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |\n`;
  return `${line(head)}|${'---|'.repeat(head.length)}\n${rows.map(line).join('')}`;
}

if (import.meta.main) {
  writeFileSync(FILE, documentTypesDocument());
  console.log('docs/document-types.md is written.');
}
