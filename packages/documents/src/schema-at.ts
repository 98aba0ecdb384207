import type { Schema } from './schema.ts';

const REFERENCES_FOLLOWED_MAX = 8;
const INDEX = /^\d+$/;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isSchema = (value: unknown): value is Schema => isObject(value);

/** By root and schema: a form asks for each value of each line. */
const known = new WeakMap<Schema, WeakMap<Schema, { schema: Schema | undefined }>>();

/** The schema at the end of its references into the same document. Undefined: it leads elsewhere, or in circles. Schemas do not change. */
export function followed(root: Schema, schema: unknown): Schema | undefined {
  if (!isSchema(schema)) return undefined;
  if (typeof schema.$ref !== 'string') return schema;
  const ofRoot = known.get(root) ?? new WeakMap<Schema, { schema: Schema | undefined }>();
  known.set(root, ofRoot);
  const before = ofRoot.get(schema);
  if (before) return before.schema;
  const end = endOfReferences(root, schema);
  ofRoot.set(schema, { schema: end });
  return end;
}

function endOfReferences(root: Schema, schema: Schema): Schema | undefined {
  let found: unknown = schema;
  for (let steps = 0; steps <= REFERENCES_FOLLOWED_MAX; steps++) {
    if (!isSchema(found)) return undefined;
    if (typeof found.$ref !== 'string') return found;
    // A property has its own title beside the reference to a shared part.
    const { $ref, ...beside } = found;
    const target = referenced(root, $ref);
    if (!isSchema(target)) return beside;
    found = { ...target, ...beside };
  }
  return undefined;
}

function referenced(root: Schema, reference: string): unknown {
  if (!reference.startsWith('#/')) return reference === '#' ? root : undefined;
  return atPointer(root, reference.slice(1));
}

function atPointer(value: unknown, pointer: string): unknown {
  let found = value;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

/** The schema of the value at a JSON Pointer into a document, or into a row whose schema is `from`. Undefined: the schema does not say. */
export function schemaAt(root: Schema, pointer: string, from: Schema = root): Schema | undefined {
  let found = followed(root, from);
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const { properties, items }: { properties?: unknown; items?: unknown } = found ?? {};
    if (isObject(properties) && Object.hasOwn(properties, name)) found = followed(root, properties[name]);
    else if (INDEX.test(name)) found = followed(root, items);
    else return undefined;
  }
  return found;
}
