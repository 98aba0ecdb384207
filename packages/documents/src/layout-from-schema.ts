import type { Format, Item, Layout, Table } from './document-type.ts';
import type { Schema } from './schema.ts';
import { followed, isObject, schemaAt } from './schema-at.ts';

/** What is read of a schema, which anyone can write. */
const PROPERTIES_READ_MAX = 300;
const COLUMNS_MAX = 9;
const LONG_TEXT_CHARS = 500;

/** A property with its schema, in which references are followed, and its name and title in lower case, which tell what it is. */
interface Property {
  path: string;
  schema: Schema;
  said: string;
}

/** The schema of the rows of an array. */
export function rowSchema(root: Schema, list: Schema | undefined): Schema | undefined {
  return list === undefined ? undefined : followed(root, list.items);
}

/** The layout if it has the form of one and names values of the schema; one made of the titles of the schema otherwise. */
export function layoutFor(schema: Schema, layout: unknown): Layout {
  return isLayout(layout) && namesValues(schema, layout) ? layout : layoutFromSchema(schema);
}

const isPaths = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');
const isPath = (value: unknown): boolean => value === undefined || typeof value === 'string';
const isItems = (value: unknown): value is Item[] =>
  Array.isArray(value) && value.every((one) => isObject(one) && typeof one['path'] === 'string');
const isTable = (value: unknown): value is Table =>
  isObject(value) && typeof value['path'] === 'string' && isItems(value['columns']) && isItems(value['details'] ?? []);

export function isLayout(value: unknown): value is Layout {
  if (!isObject(value) || typeof value['number'] !== 'string' || !isPath(value['currency'])) return false;
  const { parties, facts, lines, tables, totals, terms, notes } = value;
  if (!isPaths(parties) || !isPaths(notes) || ![facts, totals, terms].every(isItems)) return false;
  return (lines === undefined || isTable(lines)) && Array.isArray(tables) && tables.every(isTable);
}

function namesValues(schema: Schema, { number, parties, facts, lines, tables, totals }: Layout): boolean {
  const paths = [number, ...parties, ...facts.map(({ path }) => path), ...totals.map(({ path }) => path)];
  return [...paths, ...(lines ? [lines.path] : []), ...tables.map(({ path }) => path)].some((path) => schemaAt(schema, path) !== undefined);
}

/** A layout for a type that has none: what each property is follows from its type, and from its name and title where those are the usual ones. */
export function layoutFromSchema(schema: Schema): Layout {
  const properties = propertiesOf(schema, schema);
  const number = properties.find(isNumber) ?? properties.find(isShortText);
  const currency = properties.find((one) => one !== number && isCurrency(one));
  const rest = properties.filter((one) => one !== number && one !== currency);
  const tables = rest.flatMap((one) => tableOf(schema, one) ?? []);
  const lines = tables.find(({ path }) => LINES.test(path.toLowerCase())) ?? tables.find(hasMoney) ?? tables[0];
  const scalars = rest.filter(({ schema }) => isScalar(schema));
  const totals = scalars.filter((one) => isDecimal(one.schema) && formatOf(one) === 'money');
  const [notes, facts] = [scalars.filter(isNote), scalars.filter((one) => !isNote(one) && !totals.includes(one))];
  const terms = facts.filter(({ said }) => TERMS.test(said));
  return {
    number: number?.path ?? '/number',
    ...(currency && { currency: currency.path }),
    parties: rest.filter((one) => isParty(schema, one)).map(({ path }) => path),
    facts: facts.filter((one) => !terms.includes(one)).map(itemOf),
    ...(lines && { lines }),
    tables: tables.filter((one) => one !== lines),
    totals: [...totals.filter(({ said }) => !RESULT.test(said)), ...totals.filter(({ said }) => RESULT.test(said))].map(itemOf),
    terms: terms.map(itemOf),
    notes: notes.map(({ path }) => path),
  };
}

function propertiesOf(root: Schema, schema: Schema): Property[] {
  const properties: unknown = schema.properties;
  if (!isObject(properties)) return [];
  return Object.entries(properties)
    .slice(0, PROPERTIES_READ_MAX)
    .flatMap(([name, value]) => {
      const schema = followed(root, value);
      if (schema === undefined) return [];
      const title = typeof schema.title === 'string' ? schema.title : '';
      const said = `${name.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')} ${title}`.slice(0, 200).toLowerCase();
      return [{ path: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, schema, said }];
    });
}

const WORD = (words: string): RegExp => new RegExp(`(^|[ _-])(${words})([ _-]|$)`);
const LINES = /^\/([a-z_]*_)?(lines?|items|positions|articles|positionen)$/;
const MONEY = WORD('amount|total|subtotal|price|net|gross|tax|vat|fee|fees|cost|costs|charge|discount|freight|payable|balance|paid|due');
const RESULT = WORD('payable|amount_due|amount due|grand_total|grand total|balance');
const PERCENT = WORD('percent|percentage|pct|tax_rate|vat_rate|tax rate|vat rate');
const QUANTITY = WORD('quantity|quantities|qty|count|pieces|weight|volume|length|width|height|hours|minimum|maximum');
const TERMS = WORD('terms|iban|bic|bank|account|incoterm|incoterms|conditions');
const NOTES = WORD('note|notes|remark|remarks|comment|comments|description|message|text');

const typesOf = ({ type }: Schema): readonly unknown[] => (Array.isArray(type) ? type : [type]);

function isDecimal(schema: Schema): boolean {
  const { pattern } = schema;
  if (typesOf(schema).some((type) => type === 'number' || type === 'integer')) return true;
  return typeof pattern === 'string' && /^\^-\?/.test(pattern) && /\\d|0-9/.test(pattern);
}

function isScalar(schema: Schema): boolean {
  const types = typesOf(schema).filter((type) => type !== 'null');
  return types.length > 0 && types.every((type) => typeof type === 'string' && /^(string|number|integer|boolean)$/.test(type));
}

const isText = ({ schema }: Property): boolean => typesOf(schema).includes('string') && !isDecimal(schema);
const isLong = ({ maxLength }: Schema): boolean => typeof maxLength === 'number' && maxLength > LONG_TEXT_CHARS;
const isShortText = (one: Property): boolean => isText(one) && !isLong(one.schema) && one.schema.format === undefined && !one.schema.enum;
const isNote = (one: Property): boolean => isText(one) && (isLong(one.schema) || NOTES.test(one.said)) && !TERMS.test(one.said);
const isNumber = (one: Property): boolean => isShortText(one) && /(^|[_ ])(number|no|nr|id|nummer)( |$)/.test(one.said);
const isCurrency = ({ said, schema }: Property): boolean => WORD('currency|ccy').test(said) || schema['pattern'] === '^[A-Z]{3}$';

function formatOf({ said, schema }: Property): Format | undefined {
  if (!isDecimal(schema)) return undefined;
  if (PERCENT.test(said)) return 'percent';
  if (QUANTITY.test(said)) return 'quantity';
  return MONEY.test(said) ? 'money' : undefined;
}

function itemOf(one: Property): Item {
  const format = formatOf(one);
  return format === undefined ? { path: one.path } : { path: one.path, format };
}

/** An object with a name, and something that only parties have. */
function isParty(root: Schema, { schema }: Property): boolean {
  if (!typesOf(schema).includes('object')) return false;
  const said = propertiesOf(root, schema).map(({ said }) => said);
  const has = (words: RegExp) => said.some((one) => words.test(one));
  return has(WORD('name|company')) && has(WORD('address|street|city|country|tax_id|vat|email|contact|handle'));
}

/** An array of objects as a table. What is long, or more than fits beside each other, stands below its row. */
function tableOf(root: Schema, { path, schema }: Property): Table | undefined {
  const rows = typesOf(schema).includes('array') ? rowSchema(root, schema) : undefined;
  if (rows === undefined || !typesOf(rows).includes('object')) return undefined;
  const cells = propertiesOf(root, rows).filter(({ schema }) => isScalar(schema));
  const beside = cells.filter((one) => !isLong(one.schema)).slice(0, COLUMNS_MAX);
  const details = cells.filter((one) => !beside.includes(one));
  return { path, columns: beside.map(itemOf), ...(details.length > 0 && { details: details.map(itemOf) }) };
}

const hasMoney = ({ columns }: Table): boolean => columns.some(({ format }) => format === 'money');
