import { JsonText } from '../../../../../packages/client/src/json-text.ts';
import { JsonNumber, JsonObject, type LosslessJson } from '../../../../../packages/client/src/lossless-json.ts';
import { followed, parsedJson, type Schema, type WrittenDocument } from '../../../../../packages/documents/src/index.ts';
import { type Field, type FormModel, pointer, shapeOf } from './form-model.ts';

/** A document that a form shows, or why it can't. */
export type ReadDocument = { document: JsonObject; reason?: undefined } | { document?: undefined; reason: string };

/** Reads JSON for a form. A form that would hide or change what somebody wrote stays closed. */
export function readDocument(text: string, schema: Schema, title: string): ReadDocument {
  const value = text === kept?.text ? kept.document : parsedJson(text.trim() === '' ? '{}' : text);
  if (value === undefined) return { reason: 'This is not JSON yet, so the form can’t show it.' };
  if (!(value instanceof JsonObject)) return { reason: 'The form needs a JSON object.' };
  const properties = new Map(Object.entries(followed(schema, schema)?.properties ?? {}));
  if (value.members.length > 0 && !value.members.some(([name]) => properties.has(name)))
    return { reason: `This JSON has no field of the form “${title}”.` };
  const odd = value.members.find(([name, member]) => !fits(schema, properties.get(name), member));
  if (odd) return { reason: `“${odd[0]}” has another shape than the form expects.` };
  const names = value.members.map(([name]) => name);
  if (new Set(names).size < names.length) return { reason: 'A name is there twice, which a form can’t show.' };
  return { document: value };
}

/** What a form has just written. */
let kept: WrittenDocument | undefined;

/** The next reader of this text gets the document, because reading a long text again would make the form slow. */
export function keepRead(written: WrittenDocument): void {
  kept = written;
}

const LEVELS_MAX = 6;

function fits(root: Schema, schema: Schema | undefined, value: LosslessJson, level = 1): boolean {
  const known = followed(root, schema);
  if (!known || level > LEVELS_MAX) return true;
  const shape = shapeOf(root, known);
  if (shape === 'other') return true;
  if (shape === 'scalar') return !(value instanceof JsonObject) && !Array.isArray(value);
  if (shape === 'grid')
    return Array.isArray(value) && value.every((row) => row instanceof JsonObject && fits(root, known.items, row, level + 1));
  const properties = new Map(Object.entries(known.properties ?? {}));
  return value instanceof JsonObject && value.members.every(([name, member]) => fits(root, properties.get(name), member, level + 1));
}

export function valueAt(document: LosslessJson | undefined, path: string): LosslessJson | undefined {
  let found: LosslessJson | undefined = document;
  for (const step of path.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    found = found instanceof JsonObject ? found.get(name) : Array.isArray(found) ? found[Number(name)] : undefined;
  }
  return found;
}

export function rowsAt(document: JsonObject, path: string): readonly LosslessJson[] {
  const rows = valueAt(document, path);
  return Array.isArray(rows) ? rows : [];
}

/** A value as somebody types it. */
export function typedOf(value: LosslessJson | undefined): string {
  if (typeof value === 'string') return value;
  if (value instanceof JsonNumber) return value.text;
  return typeof value === 'boolean' ? String(value) : '';
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** What was typed, as JSON. Undefined: nothing was typed. A number stays one if it was one, or if the schema takes nothing else. */
export function jsonOf(typed: string, { kind, isJsonNumber }: Field, former: LosslessJson | undefined): string | undefined {
  if (typed === '') return undefined;
  if (kind === 'truth') return typed === 'true' ? 'true' : 'false';
  const isNumber = kind === 'number' && (isJsonNumber || former instanceof JsonNumber);
  return isNumber && JSON_NUMBER.test(typed) ? typed : JSON.stringify(typed);
}

/** The text of a row, as it was written. */
export function rowText(text: string, path: string, row: number): string | undefined {
  const names = path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return new JsonText(text).takeOut(...names, row)?.value;
}

/** Names of the document that the form has no field for. */
export function unshown(document: JsonObject, model: FormModel): string[] {
  return document.members.flatMap(([name]) => (model.isShown(name) ? [] : [name]));
}

export { pointer };
