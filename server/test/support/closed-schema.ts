import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
type Json = any;

/** As strict as the service itself should be: clients have to expect new fields, but none may come that is not declared. */
function closing(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closing);
  if (schema === null || typeof schema !== 'object') return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, key === 'example' ? value : closing(value)]));
  const isOpen = schema.type === 'object' && schema.properties && !schema.patternProperties && schema.additionalProperties === undefined;
  return isOpen ? { ...closed, additionalProperties: false } : closed;
}

export function closedValidator(document: Json, schema: Json): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat('date-time', true);
  return ajv.compile({ ...closing(schema), components: { schemas: closing(document.components.schemas) } });
}
