import { PARTS } from './parts.ts';
import type { Properties, Schema } from './schema.ts';

/** The schema of a document, with the shared parts that it refers to. Other properties are allowed: businesses add their own. */
export function documentSchema(title: string, description: string, required: readonly string[], properties: Properties): Schema {
  const $defs: Record<string, Schema> = {};
  collectParts(properties, $defs);
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  return { $schema, title, description, type: 'object', required, properties, $defs };
}

const PART = /^#\/\$defs\/(\w+)$/;

function collectParts(properties: Properties, into: Record<string, Schema>): void {
  for (const { $ref = '', items, properties: own = {} } of Object.values(properties)) {
    collectParts(items ? { ...own, items } : own, into);
    const [, name = ''] = PART.exec($ref) ?? [];
    const part = PARTS[name];
    if (!part || Object.hasOwn(into, name)) continue;
    into[name] = part;
    collectParts({ part }, into);
  }
}
