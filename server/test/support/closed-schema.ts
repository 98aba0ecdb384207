import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
type Json = any;

/** Makes the schema as strict as the service: clients must expect new fields, but the service may send only declared ones. */
function closing(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closing);
  if (schema === null || typeof schema !== 'object') return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, key === 'example' ? value : closing(value)]));
  const isOpen = schema.type === 'object' && schema.properties && !schema.patternProperties && schema.additionalProperties === undefined;
  return isOpen ? { ...closed, additionalProperties: false } : closed;
}

const compilers = new WeakMap<Json, (schema: Json) => ValidateFunction>();

/** Compiles the document's components once for all schemas, and each schema once. */
export function closedValidator(document: Json, schema: Json): ValidateFunction {
  const compile = compilers.get(document) ?? compilerOf(document);
  compilers.set(document, compile);
  return compile(schema);
}

function compilerOf(document: Json): (schema: Json) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true, schemas: [{ $id: 'document', components: closing(document.components) }] });
  ajv.addFormat('date-time', true);
  const compiled = new Map<string, ValidateFunction>();
  return (schema) => {
    const text = JSON.stringify(closing(schema)).replaceAll('"$ref":"#/', '"$ref":"document#/');
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, validate);
    return validate;
  };
}
