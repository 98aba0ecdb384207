import { JsonNumber, JsonObject, type LosslessJson } from '../../../../../packages/client/src/lossless-json.ts';
import { checkValue, type DocumentType, followed, readDate, type Schema } from '../../../../../packages/documents/src/index.ts';
import { pointer } from './form-model.ts';

/** What is said of the value at a JSON Pointer. */
export interface Mark {
  path: string;
  message: string;
  /** A warning refuses nothing, and is no error of the schema. */
  isWarning: boolean;
}

const MARKS_MAX = 200;
const LEVELS_MAX = 6;

/** Patterns of schemas are run in the browser only if they are those of the catalogue: a pattern by a stranger could take forever. */
const PATTERNS = new Map([
  ['^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$', 'Write a number such as 1234.56.'],
  ['^[A-Z]{3}$', 'Write three capital letters such as EUR.'],
  ['^[A-Z]{2}$', 'Write two capital letters such as DE.'],
]);

/** What the schema says of a document, as far as a form needs it, and what the rules of its type expect. */
export function marksOf(schema: Schema, document: JsonObject, rules: DocumentType['rules']): Mark[] {
  const found: Mark[] = [];
  for (const mark of marksIn(schema, schema, document, '', 1)) {
    if (found.length === MARKS_MAX) break;
    found.push(mark);
  }
  const warnings = rules.length === 0 ? [] : checkValue({ rules }, document);
  return [...found, ...warnings.map(({ path, message }) => ({ path, message, isWarning: true }))];
}

function* marksIn(root: Schema, given: Schema | undefined, value: LosslessJson, path: string, level: number): Iterable<Mark> {
  const schema = followed(root, given);
  if (!schema || level > LEVELS_MAX) return;
  const mark = (message: string, at = path): Mark => ({ path: at, message, isWarning: false });
  if (value instanceof JsonObject) {
    const names = new Set(value.members.map(([name]) => name));
    for (const name of schema.required ?? []) if (!names.has(name)) yield mark('Required.', path + pointer(name));
    const properties = new Map(Object.entries(schema.properties ?? {}));
    for (const [name, member] of value.members) yield* marksIn(root, properties.get(name), member, path + pointer(name), level + 1);
  } else if (Array.isArray(value)) {
    for (const [at, row] of value.entries()) yield* marksIn(root, schema.items, row, `${path}/${at}`, level + 1);
  } else {
    const message = messageOf(schema, value);
    if (message !== undefined) yield mark(message);
  }
}

function messageOf(schema: Schema, value: LosslessJson): string | undefined {
  const { type, format, pattern, minLength, maxLength } = schema;
  const types = typeof type === 'string' ? [type] : (type ?? []);
  if (value instanceof JsonNumber)
    return types.length > 0 && !types.includes('number') && !types.includes('integer') ? 'Write a text.' : undefined;
  if (typeof value !== 'string') return undefined;
  if (types.length > 0 && !types.includes('string'))
    return types.includes('number') || types.includes('integer') ? 'Write a number.' : undefined;
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return 'Choose one of the values.';
  if (format === 'date' && readDate(value) !== value) return 'Write a day such as 2026-11-17.';
  if (typeof minLength === 'number' && value.length < minLength) return 'Write something.';
  if (typeof maxLength === 'number' && value.length > maxLength) return 'This is too long.';
  const known = typeof pattern === 'string' ? PATTERNS.get(pattern) : undefined;
  return known !== undefined && typeof pattern === 'string' && !new RegExp(pattern).test(value) ? known : undefined;
}

/** The first mark of each value: errors come before warnings. */
export function marksByPath(marks: readonly Mark[]): ReadonlyMap<string, Mark> {
  const byPath = new Map<string, Mark>();
  for (const mark of marks) if (!byPath.has(mark.path)) byPath.set(mark.path, mark);
  return byPath;
}
