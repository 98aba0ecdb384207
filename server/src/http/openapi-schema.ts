export interface Schema {
  $id?: string;
  $ref?: string;
  description?: string;
  type?: string;
  format?: string;
  pattern?: string;
  const?: unknown;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  items?: Schema;
  uniqueItems?: boolean;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  not?: Schema;
  title?: string;
}

export type Schemas = Record<string, Schema>;

export function component($ref: string, schemas: Schemas): { name: string; schema: Schema } {
  const name = $ref.slice($ref.lastIndexOf('/') + 1);
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`${$ref} is no component of the document`);
  return { name, schema };
}

/**
 * Writes the same schema in keywords that generators of clients understand: an enum of texts has a type, a map has `additionalProperties`,
 * and a union with any object and a boolean is any value except the other types. A set of enums becomes a list, because the Java
 * generator's code for a set does not compile.
 */
export function forGenerators({ patternProperties, uniqueItems, ...schema }: Schema): Schema {
  const rest = uniqueItems && !schema.items?.enum ? { ...schema, uniqueItems } : schema;
  const types = rest.anyOf?.map(({ type }) => type) ?? [];
  if (types.includes('object') && types.includes('boolean')) {
    const { anyOf: _, ...others } = rest;
    const excluded = ['string', 'number', 'array', 'null'].filter((type) => !types.includes(type));
    return { ...others, not: { anyOf: excluded.map((type) => (type === 'array' ? { type, items: {} } : { type })) } };
  }
  const [values, ...others] = Object.values(patternProperties ?? {});
  if (values && others.length === 0 && rest.properties === undefined) return { ...rest, additionalProperties: values };
  const isText = rest.type === undefined && rest.enum?.every((value) => typeof value === 'string');
  return { ...(isText && { type: 'string' }), ...rest, ...(patternProperties && { patternProperties }) };
}
