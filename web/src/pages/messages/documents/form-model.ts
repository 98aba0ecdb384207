import { followed, type Item, type Layout, type Schema, schemaAt, type Table } from '../../../../../packages/documents/src/index.ts';
import { visibleText as visible } from '../../../../../server/src/contract/visible-text.ts';

/** What a form is made of: the schema says what there is, the layout where it stands. */
export interface FormType {
  title: string;
  schema: Schema;
  layout?: Layout | undefined;
}

export type FieldKind = 'text' | 'long' | 'number' | 'date' | 'choice' | 'truth';

export interface Field {
  /** A JSON Pointer; in a table, the name in the row. */
  path: string;
  title: string;
  help: string;
  kind: FieldKind;
  options: readonly string[];
  isRequired: boolean;
  /** Strings are not allowed. */
  isJsonNumber: boolean;
}

export interface Group {
  path: string;
  title: string;
  isRequired: boolean;
  fields: readonly Field[];
  groups: readonly Group[];
}

export interface Grid {
  path: string;
  title: string;
  isRequired: boolean;
  columns: readonly Field[];
  /** Fields of a row that have no column. */
  details: readonly Field[];
}

export interface FormModel {
  title: string;
  facts: readonly Field[];
  groups: readonly Group[];
  grids: readonly Grid[];
  totals: readonly Field[];
  terms: readonly Field[];
  /** Top-level names that the form does not show. */
  isShown(name: string): boolean;
}

/** Schemas of strangers can be large, and refer to themselves. */
const LEVELS_MAX = 4;
const FIELDS_MAX = 60;
const GROUPS_MAX = 30;
const OPTIONS_MAX = 200;
const TITLE_MAX_CHARS = 80;
const LONG_CHARS = 1_000;

export function modelOf({ title, schema, layout }: FormType): FormModel {
  const shapes = Object.entries(followed(schema, schema)?.properties ?? {}).map(([name, one]) => {
    const found = followed(schema, one) ?? {};
    return { path: pointer(name), shape: shapeOf(schema, found) };
  });
  const of = (shape: Shape) => shapes.filter((one) => one.shape === shape).map(({ path }) => path);
  const named = layout ? facts(layout) : [];
  const late = layout ? [...layout.totals, ...layout.terms].map(({ path }) => path).concat(layout.notes) : [];
  const rest = of('scalar').filter((path) => !named.includes(path) && !late.includes(path));
  const inTerms = new Set(layout?.terms.flatMap(({ path }) => (path.lastIndexOf('/') > 0 ? [path.slice(0, path.lastIndexOf('/'))] : [])));
  const parties = layout?.parties ?? [];
  const groups = [...parties, ...of('group').filter((path) => !parties.includes(path) && !inTerms.has(path))];
  const tables = layout ? [...(layout.lines ? [layout.lines] : []), ...layout.tables] : [];
  const others = of('grid').filter((path) => tables.every((table) => table.path !== path));
  const toFields = (paths: readonly string[]) => paths.slice(0, FIELDS_MAX).flatMap((path) => fieldAt(schema, path) ?? []);
  const shown = new Set(shapes.flatMap(({ path, shape }) => (shape === 'other' ? [] : [path])));
  return {
    title: plain(title),
    facts: toFields([...named, ...rest]),
    groups: groups.slice(0, GROUPS_MAX).flatMap((path) => groupAt(schema, path, 1) ?? []),
    grids: [...tables, ...others.map((path) => ({ path, columns: [] }))]
      .slice(0, GROUPS_MAX)
      .flatMap((table) => gridAt(schema, table) ?? []),
    totals: toFields(layout?.totals.map(({ path }) => path) ?? []),
    terms: toFields([...(layout?.terms.map(({ path }) => path) ?? []), ...(layout?.notes ?? [])]),
    isShown: (name) => shown.has(pointer(name)),
  };
}

function facts(layout: Layout): string[] {
  const paths = [layout.number, ...layout.facts.map(({ path }) => path), ...(layout.currency === undefined ? [] : [layout.currency])];
  return [...new Set(paths)];
}

type Shape = 'scalar' | 'group' | 'grid' | 'other';

export function shapeOf(root: Schema, schema: Schema): Shape {
  const types = typesOf(schema);
  if (schema.properties && (types.length === 0 || types.includes('object'))) return 'group';
  const items = followed(root, schema.items);
  if (items) return items.properties ? 'grid' : 'other';
  return types.includes('object') || types.includes('array') || (types.length === 0 && !Array.isArray(schema.enum)) ? 'other' : 'scalar';
}

const typesOf = ({ type }: Schema): readonly string[] => (type === undefined ? [] : typeof type === 'string' ? [type] : type);

/** Undefined: the schema has no single value there. */
export function fieldAt(root: Schema, path: string): Field | undefined {
  const schema = schemaAt(root, path);
  if (!schema || shapeOf(root, schema) !== 'scalar') return undefined;
  return fieldOf(path, schema, nameIn(path), requiredAt(root, path));
}

function fieldOf(path: string, schema: Schema, name: string, isRequired: boolean): Field {
  const types = typesOf(schema);
  const options = Array.isArray(schema.enum) ? schema.enum.filter((one) => typeof one === 'string').slice(0, OPTIONS_MAX) : [];
  const isNumber = types.includes('number') || types.includes('integer');
  const kind: FieldKind =
    options.length > 0
      ? 'choice'
      : isNumber
        ? 'number'
        : types.includes('boolean')
          ? 'truth'
          : schema.format === 'date'
            ? 'date'
            : typeof schema['maxLength'] === 'number' && schema['maxLength'] > LONG_CHARS
              ? 'long'
              : 'text';
  return {
    ...{ path, kind, options, isRequired },
    title: titleOf(schema, name),
    help: helpOf(schema),
    isJsonNumber: isNumber && !types.includes('string'),
  };
}

function groupAt(root: Schema, path: string, level: number): Group | undefined {
  const schema = schemaAt(root, path);
  if (!schema?.properties || level > LEVELS_MAX) return undefined;
  const paths = Object.keys(schema.properties).map((name) => `${path}${pointer(name)}`);
  return {
    ...{ path, title: titleOf(schema, nameIn(path)), isRequired: requiredAt(root, path) },
    fields: paths.slice(0, FIELDS_MAX).flatMap((one) => fieldAt(root, one) ?? []),
    groups: paths.slice(0, GROUPS_MAX).flatMap((one) => groupAt(root, one, level + 1) ?? []),
  };
}

const COLUMNS_MAX = 12;

function gridAt(root: Schema, { path, columns, details = [] }: Table): Grid | undefined {
  const schema = schemaAt(root, path);
  const row = followed(root, schema?.items);
  if (!schema || !row?.properties) return undefined;
  const names = Object.keys(row.properties).map(pointer);
  const known = columns.length > 0 ? columns.map((item: Item) => item.path) : names.slice(0, COLUMNS_MAX);
  const rest = [...new Set([...details.map((item) => item.path), ...names])].filter((name) => !known.includes(name));
  const toFields = (paths: readonly string[]) =>
    paths.slice(0, FIELDS_MAX).flatMap((one) => {
      const field = fieldAt(root, `${path}/0${one}`);
      return field ? [{ ...field, path: nameIn(one) }] : [];
    });
  return {
    path,
    title: titleOf(schema, nameIn(path)),
    isRequired: requiredAt(root, path),
    columns: toFields(known),
    details: toFields(rest),
  };
}

function requiredAt(root: Schema, path: string): boolean {
  const parent = schemaAt(root, path.slice(0, path.lastIndexOf('/')));
  return parent?.required?.includes(nameIn(path)) === true;
}

export const pointer = (name: string): string => (/[~/]/.test(name) ? `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` : `/${name}`);
const nameIn = (path: string): string =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');

const plain = (text: string): string => visible(text.length > TITLE_MAX_CHARS ? `${text.slice(0, TITLE_MAX_CHARS)}…` : text);
const titleOf = ({ title }: Schema, name: string): string => plain(typeof title === 'string' && title.trim() !== '' ? title : name);

/** Without the terms of standards, which are for programmers. */
function helpOf({ description }: Schema): string {
  return typeof description === 'string' ? visible(description.replace(/\s*(?:EN 16931|UBL): .*$/s, '').slice(0, 300)) : '';
}
