import type { Schema, Schemas } from '../../server/src/http/openapi-schema.ts';

const KEYWORDS = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda ' +
    'nonlocal not or pass raise return try while with yield'
  ).split(' '),
);

/** Python types of schemas. Objects become a TypedDict each, named after the component or the fields that lead to them. */
export class SchemaTypes {
  readonly #schemas: Schemas;
  readonly #definitions = new Map<string, string>();

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  /** The Python expression for a schema. Objects without a name get `name`. */
  typeOf(schema: Schema, name: string): string {
    const { $ref, anyOf, oneOf, enum: values, items, properties, additionalProperties } = schema;
    if ($ref !== undefined) return this.#component($ref.slice($ref.lastIndexOf('/') + 1));
    const variants = anyOf ?? oneOf;
    if (variants && properties === undefined) return this.#union(variants, name);
    if ('const' in schema) return literal([schema.const]);
    if (values) return literal(values);
    if (schema.type === 'array') return `list[${this.typeOf(items ?? {}, `${name}Item`)}]`;
    if (schema.type === 'object') {
      if (properties && Object.keys(properties).length > 0) return this.#define(name, schema);
      return `dict[str, ${this.typeOf(typeof additionalProperties === 'object' ? additionalProperties : {}, `${name}Value`)}]`;
    }
    const plain: Record<string, string> = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' };
    return plain[schema.type ?? ''] ?? 'Any';
  }

  /** Defines a TypedDict whose keys may all be left out, for the query of an operation. */
  defineQuery(name: string, fields: [name: string, schema: Schema][]): string {
    const lines = fields.map(([field, schema]) => `    ${parameterName(field)}: ${this.typeOf(schema, name + pascal(field))}`);
    this.#definitions.set(name, `class ${name}(TypedDict, total=False):\n${lines.join('\n')}\n`);
    return name;
  }

  text(): string {
    return [...this.#definitions.values()].join('\n\n');
  }

  #component(name: string): string {
    const schema = this.#schemas[name];
    if (schema === undefined) throw new Error(`${name} is no component of the document`);
    if (this.#definitions.has(name)) return name;
    if (schema.type === 'object') return this.#define(name, schema);
    const variants = schema.anyOf ?? schema.oneOf ?? [];
    // A union of objects, such as Party: each variant has a title.
    const union = variants.map((variant, index) => this.typeOf(variant, variant.title ?? `${name}${index + 1}`));
    this.#definitions.set(name, `${name} = ${union.join(' | ')}\n`);
    return name;
  }

  #union(variants: readonly Schema[], name: string): string {
    const objects = variants.filter(({ type, properties }) => type === 'object' && properties);
    const types = variants.map((variant, index) => this.typeOf(variant, objects.length > 1 ? `${name}${index + 1}` : name));
    return [...new Set(types)].join(' | ');
  }

  #define(name: string, { properties = {}, required = [], description }: Schema): string {
    const fields = Object.entries(properties).map(([field, schema]) => {
      const type = this.typeOf(schema, name + pascal(field));
      return [field, required.includes(field) ? type : `NotRequired[${type}]`] as const;
    });
    const needsQuotes = fields.some(([field]) => KEYWORDS.has(field) || !/^[A-Za-z_]\w*$/.test(field));
    const comment = description === undefined ? '' : `    """${description}"""\n\n`;
    const lines = fields.map(([field, type]) => (needsQuotes ? `        "${field}": ${JSON.stringify(type)},` : `    ${field}: ${type}`));
    this.#definitions.set(
      name,
      needsQuotes
        ? `${name} = TypedDict(\n    "${name}",\n    {\n${lines.join('\n')}\n    },\n)\n`
        : `class ${name}(TypedDict):\n${comment}${lines.join('\n')}\n`,
    );
    return name;
  }
}

/** A keyword of Python gets an underscore, which the client removes again. */
export function parameterName(name: string): string {
  return KEYWORDS.has(name) ? `${name}_` : name;
}

export function pascal(name: string): string {
  return name.replace(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function literal(values: readonly unknown[]): string {
  return `Literal[${values.map((value) => (typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value))).join(', ')}]`;
}
