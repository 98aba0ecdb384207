import { Budget } from './budget.ts';
import { DEFAULT_DIALECT, type Dialect, metaSchemaDocuments, metaSchemaUri } from './dialects.ts';
import { Documents, dialectOf, InvalidSchema, isObject, own, type Resource } from './documents.ts';
import { combiningKeywords, type Keyword, type Site } from './keywords.ts';
import { evaluate, type SchemaNode } from './node.ts';
import { compilePattern, type Pattern } from './patterns.ts';
import { placeOf } from './place.ts';
import { pointerTo, Run, type SchemaIssue } from './run.ts';
import { lateKeywords, structureKeywords } from './structure-keywords.ts';
import { valueKeywords } from './value-keywords.ts';

/** Cheap keywords come first, because an early failure saves the rest. */
const KEYWORDS: [string, Keyword][] = Object.entries({ ...valueKeywords, ...structureKeywords, ...combiningKeywords });
const LATE: [string, Keyword][] = Object.entries(lateKeywords);

export interface Validator {
  /** Returns at most 50 issues, or undefined if the value is valid. */
  issuesOf(value: unknown, budget: Budget): SchemaIssue[] | undefined;
}

export function checkSchema(schema: unknown, budget: Budget): void {
  if (!isObject(schema) && typeof schema !== 'boolean') throw new InvalidSchema('it must be an object');
  const named = isObject(schema) ? own(schema, '$schema') : undefined;
  const dialect = named === undefined ? DEFAULT_DIALECT : dialectOf(named, '/$schema');
  const issues = metaSchema(dialect).issuesOf(schema, budget) ?? [];
  const [first] = issues;
  if (first) {
    const faults = issues.map(({ path, message, keyword }) => ({ path, message, keyword }));
    throw new InvalidSchema(`${first.path === '' ? 'it' : first.path} ${first.message}`, faults);
  }
  compileSchema(schema, budget);
}

export function compileSchema(schema: unknown, budget: Budget): Validator {
  return validatorOf(new Compiler(new Documents(schema, budget), budget, true).compile());
}

function validatorOf(root: SchemaNode): Validator {
  return {
    issuesOf: (value, budget) => {
      // Most values are valid or fail early, and collecting the issues costs more.
      if (evaluate(root, value, new Run(budget, false), undefined)) return undefined;
      const run = new Run(budget, true);
      evaluate(root, value, run, undefined);
      return run.issues;
    },
  };
}

const metaSchemas = new Map<Dialect, Validator>();

function metaSchema(dialect: Dialect): Validator {
  const known = metaSchemas.get(dialect);
  if (known) return known;
  const unlimited = new Budget(Number.POSITIVE_INFINITY);
  const documents = new Documents(metaSchemaDocuments(dialect)[0], unlimited);
  // Formats are not checked here: references and patterns get better error messages where they are used.
  const { schema, resource } = documents.resolve(metaSchemaUri(dialect), documents.root.resource);
  const validator = validatorOf(new Compiler(documents, unlimited, false).compile({ schema, resource }));
  metaSchemas.set(dialect, validator);
  return validator;
}

class Compiler {
  readonly #documents: Documents;
  readonly #budget: Budget;
  readonly #checksFormats: boolean;
  readonly #nodes = new Map<object, SchemaNode>();
  readonly #patterns = new Map<string, Pattern>();
  readonly #unfilled: [SchemaNode, Record<string, unknown>][] = [];

  constructor(documents: Documents, budget: Budget, checksFormats: boolean) {
    this.#documents = documents;
    this.#budget = budget;
    this.#checksFormats = checksFormats;
  }

  compile({ schema, resource } = this.#documents.root): SchemaNode {
    const root = this.#nodeIn(schema, resource);
    this.#fill();
    // The target of a dynamic reference is known only during validation, so all candidates are compiled.
    for (const target of this.#documents.dynamicTargets) this.#nodeIn(target.schema, target.resource);
    this.#fill();
    refuseEndless(this.#nodes.values());
    return root;
  }

  #fill(): void {
    for (let next = this.#unfilled.pop(); next; next = this.#unfilled.pop()) this.#fillNode(...next);
  }

  #nodeIn(schema: unknown, parent: Resource): SchemaNode {
    if (!isObject(schema)) return { resource: parent, verdict: schema !== false, checks: [], lateChecks: [], always: [] };
    const known = this.#nodes.get(schema);
    if (known) return known;
    const resource = this.#documents.resourceOf(schema, parent);
    const node: SchemaNode = { resource, verdict: undefined, checks: [], lateChecks: [], always: [] };
    this.#nodes.set(schema, node);
    this.#unfilled.push([node, schema]);
    return node;
  }

  #patternOf(source: string): Pattern {
    this.#budget.check();
    const pattern = this.#patterns.get(source) ?? compilePattern(source);
    this.#patterns.set(source, pattern);
    return pattern;
  }

  #locateErrors<T>(schema: object, keyword: string, compile: () => T): T {
    try {
      return compile();
    } catch (error) {
      if (!(error instanceof InvalidSchema)) throw error;
      const path = pointerTo([...placeOf(schema, this.#documents.root.schema, this.#budget), keyword]);
      throw new InvalidSchema(error.message, [{ path, message: error.message, keyword }]);
    }
  }

  #fillNode(node: SchemaNode, schema: Record<string, unknown>): void {
    const { resource } = node;
    const { dialect } = resource;
    this.#budget.step();
    const site = (name: string): Site => ({
      value: schema[name],
      schema,
      dialect,
      resource,
      documents: this.#documents,
      node,
      nodeOf: (inner) => this.#nodeIn(inner, resource),
      nodeIn: (inner, outer) => this.#nodeIn(inner, outer),
      patternOf: (source) => this.#patternOf(source),
    });
    const add = (keywords: [string, Keyword][], checks: SchemaNode['checks']) => {
      for (const [name, keyword] of keywords) {
        if (!Object.hasOwn(schema, name) || (name === 'format' && !this.#checksFormats)) continue;
        const check = this.#locateErrors(schema, name, () => keyword(site(name) as Site<never>));
        if (check) checks.push(check);
      }
    };
    // The early dialects ignore all keywords beside a $ref.
    const isReference = dialect <= 7 && Object.hasOwn(schema, '$ref');
    add(isReference ? KEYWORDS.filter(([name]) => name === '$ref') : KEYWORDS, node.checks);
    if (!isReference) add(LATE, node.lateChecks);
  }
}

/** Refuses a schema that applies itself to the same value: its validation would never end. */
function refuseEndless(nodes: Iterable<SchemaNode>): void {
  const done = new Set<SchemaNode>();
  for (const start of nodes) {
    const under = new Set<SchemaNode>();
    const waiting: { node: SchemaNode; isLeaving?: boolean }[] = [{ node: start }];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { node, isLeaving } = next;
      if (isLeaving) {
        under.delete(node);
        done.add(node);
      } else if (under.has(node)) throw new InvalidSchema('a $ref leads back to itself without end');
      else if (!done.has(node)) {
        under.add(node);
        waiting.push({ node, isLeaving: true }, ...node.always.map((inner) => ({ node: inner })));
      }
    }
  }
}
