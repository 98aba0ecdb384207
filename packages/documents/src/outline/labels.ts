import type { Schema } from '../schema.ts';

const LABEL_MAX_CHARS = 80;
const REFERENCE = /^#\/\$defs\/([\w-]+)$/;

/** The label of a property without a title: `order_number` reads as “Order number”. */
export function labelOf(name: string): string {
  const words = name
    .slice(0, LABEL_MAX_CHARS)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[\s_.-]+/g, ' ')
    .trim();
  return words === '' ? 'Value' : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Finds the titles of properties in a schema, which may refer to shared parts in its `$defs`. */
export class Labels {
  readonly #root: Schema | undefined;
  readonly #parts: ReadonlyMap<string, Schema>;

  constructor(root: Schema | undefined) {
    this.#root = root;
    this.#parts = new Map(Object.entries(root?.$defs ?? {}));
  }

  get root(): Schema | undefined {
    return this.#root;
  }

  property(of: Schema | undefined, name: string): Schema | undefined {
    const { properties } = this.#resolved(of) ?? {};
    return properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
  }

  rows(of: Schema | undefined): Schema | undefined {
    return this.#resolved(of)?.items;
  }

  at(pointer: string, from: Schema | undefined = this.#root): Schema | undefined {
    return namesIn(pointer).reduce((schema: Schema | undefined, name) => this.property(schema, name), from);
  }

  label(schema: Schema | undefined, name: string): string {
    return schema?.title?.slice(0, LABEL_MAX_CHARS) ?? labelOf(name);
  }

  #resolved(schema: Schema | undefined): Schema | undefined {
    const [, part] = REFERENCE.exec(schema?.$ref ?? '') ?? [];
    if (part === undefined) return schema;
    return this.#parts.get(part);
  }
}

export function namesIn(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}
