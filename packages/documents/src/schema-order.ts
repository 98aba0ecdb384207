import type { OrderOf } from './edit-json.ts';
import type { Schema } from './schema.ts';
import { schemaAt } from './schema-at.ts';

export function orderIn(schema: Schema): OrderOf {
  return (path) => Object.keys(schemaAt(schema, path)?.properties ?? {});
}
