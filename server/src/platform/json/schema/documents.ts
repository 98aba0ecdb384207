import type { Budget } from './budget.ts';
import { DEFAULT_DIALECT, type Dialect, dialectNamed, dialectPublishing, metaSchemaDocuments } from './dialects.ts';

export type SchemaObject = Record<string, unknown>;

export interface SchemaFault {
  path: string;
  message: string;
  keyword?: string;
}

/** Says why a schema can't be used, in words for its author. */
export class InvalidSchema extends Error {
  readonly faults: SchemaFault[];

  constructor(message: string, faults: SchemaFault[] = [{ path: '', message }]) {
    super(message);
    this.faults = faults;
  }
}

export interface Resource {
  uri: string;
  root: unknown;
  dialect: Dialect;
  anchors: Map<string, unknown>;
  dynamicAnchors: Map<string, unknown>;
}

interface Target {
  schema: unknown;
  resource: Resource;
  dynamicAnchor?: string;
}

const BASE = 'https://inbox.invalid/schema';
const ONE = ['additionalItems', 'additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not', 'propertyNames'];
const ONE_TOO = ['then', 'unevaluatedItems', 'unevaluatedProperties'];
const LISTS = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'];
const MAPS = ['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'];

export function isObject(value: unknown): value is SchemaObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function own(schema: SchemaObject, name: string): unknown {
  return Object.hasOwn(schema, name) ? schema[name] : undefined;
}

function hasOwn(value: unknown, name: string): value is SchemaObject {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, name);
}

/** The schemas that references can reach: those of one document, and the meta-schemas. Nothing is fetched. */
export class Documents {
  readonly root: Target;
  readonly #budget: Budget;
  readonly #resources = new Map<string, Resource>();
  readonly #placeOf = new Map<object, Resource>();
  readonly #published = new Set<Dialect>();

  constructor(document: unknown, budget: Budget) {
    this.#budget = budget;
    this.root = { schema: document, resource: this.#add(document, BASE, DEFAULT_DIALECT) };
  }

  get dynamicTargets(): Target[] {
    return [...this.#resources.values()].flatMap((resource) =>
      [...resource.dynamicAnchors.values()].map((schema) => ({ schema, resource })),
    );
  }

  /** The resource of a subschema of `parent`: its own, if it has an `$id`. */
  resourceOf(schema: unknown, parent: Resource): Resource {
    return (isObject(schema) && this.#placeOf.get(schema)) || parent;
  }

  resolve(reference: string, from: Resource): Target {
    const url = resolve(reference, from.uri);
    const hash = url.indexOf('#');
    const uri = hash < 0 ? url : url.slice(0, hash);
    const fragment = hash < 0 ? '' : decoded(url.slice(hash + 1));
    const resource = this.#find(uri);
    if (!resource) throw new InvalidSchema(`"${reference}" refers to a document that is not part of the schema, and none is ever fetched`);
    if (fragment === '') return { schema: resource.root, resource };
    if (fragment.startsWith('/')) return this.#follow(fragment, resource, reference);
    if (resource.dynamicAnchors.has(fragment)) {
      return { schema: resource.dynamicAnchors.get(fragment), resource, dynamicAnchor: fragment };
    }
    if (resource.anchors.has(fragment)) return { schema: resource.anchors.get(fragment), resource };
    throw new InvalidSchema(`"${reference}" refers to an anchor that does not exist`);
  }

  #find(uri: string): Resource | undefined {
    const known = this.#resources.get(uri);
    const dialect = dialectPublishing(uri);
    if (known || dialect === undefined || this.#published.has(dialect)) return known;
    this.#published.add(dialect);
    for (const document of metaSchemaDocuments(dialect)) this.#add(document, BASE, dialect);
    return this.#resources.get(uri);
  }

  #follow(pointer: string, start: Resource, reference: string): Target {
    let schema = start.root;
    let resource = start;
    for (const part of pointer.slice(1).split('/')) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (!hasOwn(schema, name)) throw new InvalidSchema(`"${reference}" refers to a place that does not exist`);
      schema = schema[name];
      resource = this.resourceOf(schema, resource);
    }
    // Schemas below unknown keywords are indexed only when referred to.
    if (isObject(schema) && !this.#placeOf.has(schema)) this.#index(schema, resource);
    if (!isObject(schema) && typeof schema !== 'boolean') throw new InvalidSchema(`"${reference}" does not refer to a schema`);
    return { schema, resource: this.resourceOf(schema, resource) };
  }

  #add(document: unknown, base: string, fallback: Dialect): Resource {
    const resource = { uri: base, root: document, dialect: fallback, anchors: new Map(), dynamicAnchors: new Map() };
    this.#resources.set(base, resource);
    return isObject(document) ? this.#index(document, resource) : resource;
  }

  /** Indexes every `$id` and anchor below, without recursion: a schema may be deep. */
  #index(start: SchemaObject, outer: Resource): Resource {
    const waiting: [SchemaObject, Resource][] = [[start, outer]];
    for (;;) {
      const next = waiting.pop();
      if (!next) return this.#placeOf.get(start) ?? outer;
      const [schema, parent] = next;
      if (this.#placeOf.has(schema)) continue;
      this.#budget.step();
      const resource = this.#identify(schema, parent);
      this.#placeOf.set(schema, resource);
      for (const inner of subschemas(schema)) waiting.push([inner, resource]);
    }
  }

  #identify(schema: SchemaObject, parent: Resource): Resource {
    const named = own(schema, '$schema');
    const isRoot = schema === parent.root;
    const id = own(schema, isRoot && named !== undefined ? idKeyword(dialectOf(named)) : idKeyword(parent.dialect));
    const startsResource = typeof id === 'string' && !id.startsWith('#');
    const dialect = named !== undefined && (isRoot || startsResource) ? dialectOf(named) : parent.dialect;
    // The early dialects ignore all keywords beside a $ref.
    const isIgnored = dialect <= 7 && own(schema, '$ref') !== undefined && !isRoot;
    let resource = parent;
    if (isRoot) parent.dialect = dialect;
    if (startsResource && !isIgnored) {
      const uri = resolve(id, parent.uri);
      const [plain = '', fragment] = uri.split('#');
      resource = isRoot
        ? Object.assign(parent, { uri: plain })
        : { uri: plain, root: schema, dialect, anchors: new Map(), dynamicAnchors: new Map() };
      this.#resources.set(plain, resource);
      if (fragment) resource.anchors.set(fragment, schema);
    } else if (typeof id === 'string' && dialect <= 7 && !isIgnored) {
      resource.anchors.set(id.slice(1), schema);
    }
    if (dialect >= 2019) {
      for (const [keyword, anchors] of [
        ['$anchor', resource.anchors],
        ['$dynamicAnchor', resource.dynamicAnchors],
      ] as const) {
        const anchor = own(schema, keyword);
        if (typeof anchor === 'string') anchors.set(anchor, schema);
      }
    }
    return resource;
  }
}

export function dialectOf(named: unknown, path = ''): Dialect {
  const dialect = typeof named === 'string' ? dialectNamed(named) : undefined;
  if (dialect !== undefined) return dialect;
  const message = `$schema ${JSON.stringify(named)} is not a supported dialect: draft 4, 6, 7, 2019-09 or 2020-12`;
  throw new InvalidSchema(message, [{ path, message, keyword: '$schema' }]);
}

function idKeyword(dialect: Dialect): string {
  return dialect === 4 ? 'id' : '$id';
}

function* subschemas(schema: SchemaObject): Generator<SchemaObject> {
  for (const name of [...ONE, ...ONE_TOO]) {
    const value = own(schema, name);
    if (isObject(value)) yield value;
  }
  for (const name of LISTS) {
    const value = own(schema, name);
    if (Array.isArray(value)) yield* value.filter(isObject);
  }
  for (const name of MAPS) {
    const value = own(schema, name);
    if (isObject(value)) yield* Object.values(value).filter(isObject);
  }
}

function resolve(reference: string, base: string): string {
  if (!URL.canParse(reference, base)) throw new InvalidSchema(`"${reference}" is not a URI reference`);
  return new URL(reference, base).href;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    throw new InvalidSchema(`"#${fragment}" is not well encoded`);
  }
}
