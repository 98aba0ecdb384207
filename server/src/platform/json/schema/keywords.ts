import type { Dialect } from './dialects.ts';
import type { Documents, Resource, SchemaObject } from './documents.ts';
import { InvalidSchema, isObject, own } from './documents.ts';
import { applyInPlace, type Check, evaluate, type SchemaNode, tryInPlace } from './node.ts';
import type { Pattern } from './patterns.ts';
import { Marks, type Run, type SchemaIssue } from './run.ts';

export interface Site<Value = unknown> {
  value: Value;
  schema: SchemaObject;
  dialect: Dialect;
  resource: Resource;
  documents: Documents;
  node: SchemaNode;
  nodeOf(schema: unknown): SchemaNode;
  nodeIn(schema: unknown, resource: Resource): SchemaNode;
  patternOf(source: string): Pattern;
}

/** Undefined: the keyword has no meaning in this dialect or place. `Value`: the type that the meta-schema guarantees. */
export type Keyword<Value = never> = (site: Site<Value>) => Check | undefined;

export const combiningKeywords: Record<string, Keyword> = {
  $ref: (site) => {
    const target = site.documents.resolve(textOf(site), site.resource);
    const node = site.nodeIn(target.schema, target.resource);
    site.node.always.push(node);
    return (value, run, marks) => applyInPlace(node, value, run, marks);
  },
  $dynamicRef: (site) => {
    if (site.dialect < 2020) return undefined;
    const target = site.documents.resolve(textOf(site), site.resource);
    const node = site.nodeIn(target.schema, target.resource);
    const { dynamicAnchor } = target;
    if (dynamicAnchor === undefined) return (value, run, marks) => applyInPlace(node, value, run, marks);
    return (value, run, marks) => {
      const outermost = run.scope.find((resource) => resource.dynamicAnchors.has(dynamicAnchor));
      const found = outermost ? site.nodeIn(outermost.dynamicAnchors.get(dynamicAnchor), outermost) : node;
      return applyInPlace(found, value, run, marks);
    };
  },
  $recursiveRef: (site) => {
    if (site.dialect !== 2019) return undefined;
    const target = site.documents.resolve(textOf(site), site.resource);
    const node = site.nodeIn(target.schema, target.resource);
    const recurs = ({ root }: Resource) => isObject(root) && own(root, '$recursiveAnchor') === true;
    if (!recurs(target.resource)) return (value, run, marks) => applyInPlace(node, value, run, marks);
    return (value, run, marks) => {
      const outermost = run.scope.find(recurs);
      return applyInPlace(outermost ? site.nodeIn(outermost.root, outermost) : node, value, run, marks);
    };
  },
  allOf: ({ value, node, nodeOf }: Site<unknown[]>) => {
    const nodes = value.map(nodeOf);
    node.always.push(...nodes);
    return (instance, run, marks) => {
      let isValid = true;
      for (const inner of nodes) {
        if (applyInPlace(inner, instance, run, marks)) continue;
        isValid = false;
        if (run.hasEnough) break;
      }
      return isValid;
    };
  },
  anyOf: ({ value, nodeOf }: Site<unknown[]>) => {
    const nodes = value.map(nodeOf);
    return (instance, run, marks) => {
      const { passed, issues } = tryEach(nodes, instance, run, marks, marks ? nodes.length : 1);
      return passed > 0 || failWith(run, issues, 'anyOf', 'must fit at least one of the schemas in anyOf');
    };
  },
  oneOf: ({ value, nodeOf }: Site<unknown[]>) => {
    const nodes = value.map(nodeOf);
    return (instance, run, marks) => {
      const { passed, issues } = tryEach(nodes, instance, run, marks, 2);
      if (passed > 1) return run.fail('oneOf', 'must fit only one of the schemas in oneOf');
      return passed === 1 || failWith(run, issues, 'oneOf', 'must fit one of the schemas in oneOf');
    };
  },
  not: ({ value, nodeOf }) => {
    const node = nodeOf(value);
    return (instance, run) => !tryInPlace(node, instance, run, undefined) || run.fail('not', 'must not fit the schema in not');
  },
  if: ({ value, schema, dialect, nodeOf }) => {
    if (dialect < 7) return undefined;
    const condition = nodeOf(value);
    const [then, otherwise] = ['then', 'else'].map((name) => (Object.hasOwn(schema, name) ? nodeOf(schema[name]) : undefined));
    return (instance, run, marks) => {
      const branch = tryInPlace(condition, instance, run, marks) ? then : otherwise;
      return branch === undefined || applyInPlace(branch, instance, run, marks);
    };
  },
};

function textOf({ value }: Site): string {
  if (typeof value !== 'string') throw new InvalidSchema('a reference must be text');
  return value;
}

/** Tries each alternative with its own list of issues, which count only if no alternative passes. */
function tryEach(nodes: SchemaNode[], value: unknown, run: Run, marks: Marks | undefined, enough: number) {
  const outer = run.issues;
  const issues: SchemaIssue[] = [];
  let passed = 0;
  for (const node of nodes) {
    run.issues = outer && [];
    const inner = marks && new Marks();
    if (evaluate(node, value, run, inner)) {
      passed++;
      if (inner) marks?.add(inner);
    } else if (run.issues) issues.push(...run.issues);
    if (passed >= enough) break;
  }
  run.issues = outer;
  return { passed, issues };
}

function failWith(run: Run, issues: readonly SchemaIssue[], keyword: string, message: string): false {
  run.fail(keyword, message);
  for (const issue of issues) if (!run.hasEnough) run.issues?.push(issue);
  return false;
}
