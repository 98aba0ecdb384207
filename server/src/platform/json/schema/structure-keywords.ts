import { canonicalJson } from '../../../contract/canonical-json.ts';
import { own } from './documents.ts';
import type { Keyword, Site } from './keywords.ts';
import { applyInPlace, applyTo, type Check, failAt, type SchemaNode } from './node.ts';
import type { Marks, Run } from './run.ts';
import { isRecord } from './value-keywords.ts';

const ofItems = (check: (items: unknown[], run: Run, marks: Marks | undefined) => boolean): Check => {
  return (value, run, marks) => !Array.isArray(value) || check(value, run, marks);
};
const ofMembers = (check: (members: Record<string, unknown>, run: Run, marks: Marks | undefined) => boolean): Check => {
  return (value, run, marks) => !isRecord(value) || check(value, run, marks);
};
const counting = <Kind>(count: (value: Kind) => number, unit: string, of: (value: unknown) => value is Kind) => ({
  atLeast: (least: number, keyword: string): Check => {
    return (value, run) => !of(value) || count(value) >= least || run.fail(keyword, `must have at least ${least} ${unit}`);
  },
  atMost: (most: number, keyword: string): Check => {
    return (value, run) => !of(value) || count(value) <= most || run.fail(keyword, `must have at most ${most} ${unit}`);
  },
});
const items = counting<unknown[]>((value) => value.length, 'items', Array.isArray);
const members = counting((value) => Object.keys(value).length, 'properties', isRecord);

/** Applies a check to all parts. If only the result matters, it stops at the first failure. */
function every<T>(parts: Iterable<T>, run: Run, passes: (part: T) => boolean): boolean {
  let isValid = true;
  for (const part of parts) {
    run.budget.step();
    if (passes(part)) continue;
    isValid = false;
    if (run.hasEnough) break;
  }
  return isValid;
}

const eachFrom = (first: number, node: SchemaNode): Check =>
  ofItems((list, run, marks) => {
    marks?.itemsUpTo(list.length);
    return every(list.keys(), run, (i) => i < first || applyTo(i, node, list[i], run));
  });
const eachOf = (nodes: SchemaNode[]): Check =>
  ofItems((list, run, marks) => {
    marks?.itemsUpTo(Math.min(nodes.length, list.length));
    return every(nodes.entries(), run, ([i, node]) => i >= list.length || applyTo(i, node, list[i], run));
  });

function isNamedIn({ schema, patternOf }: Site): (name: string) => boolean {
  const names = new Set(Object.keys(own(schema, 'properties') ?? {}));
  const patterns = Object.keys(own(schema, 'patternProperties') ?? {}).map(patternOf);
  return (name) => names.has(name) || patterns.some((pattern) => pattern.test(name));
}

const needs = (name: string, wanted: readonly string[], keyword: string): Check =>
  ofMembers((record, run) => {
    if (!Object.hasOwn(record, name)) return true;
    return every(wanted, run, (other) => Object.hasOwn(record, other) || run.fail(keyword, lacking(other, ` beside "${name}"`)));
  });
const lacking = (name: string, where = '') => `must have the property ${JSON.stringify(name)}${where}`;
const implies = (name: string, node: SchemaNode): Check =>
  ofMembers((record, run, marks) => !Object.hasOwn(record, name) || applyInPlace(node, record, run, marks));
const all = (checks: Check[]): Check => {
  return (value, run, marks) => every(checks, run, (check) => check(value, run, marks));
};

export const structureKeywords: Record<string, Keyword> = {
  minItems: ({ value }: Site<number>) => items.atLeast(value, 'minItems'),
  maxItems: ({ value }: Site<number>) => items.atMost(value, 'maxItems'),
  minProperties: ({ value }: Site<number>) => members.atLeast(value, 'minProperties'),
  maxProperties: ({ value }: Site<number>) => members.atMost(value, 'maxProperties'),
  uniqueItems: ({ value }: Site) =>
    value !== true
      ? undefined
      : ofItems((list, run) => {
          const places = new Map<string, number>();
          return every(list.entries(), run, ([i, item]) => {
            const text = canonicalJson(item);
            const earlier = places.get(text);
            if (earlier === undefined) places.set(text, i);
            return earlier === undefined || failAt(i, run, 'uniqueItems', `must not be the same as item ${earlier}`);
          });
        }),
  prefixItems: ({ value, dialect, nodeOf }: Site<unknown[]>) => (dialect < 2020 ? undefined : eachOf(value.map(nodeOf))),
  items: ({ value, schema, dialect, nodeOf }: Site) => {
    const prefix = own(schema, 'prefixItems');
    if (dialect >= 2020) return eachFrom(Array.isArray(prefix) ? prefix.length : 0, nodeOf(value));
    return Array.isArray(value) ? eachOf(value.map(nodeOf)) : eachFrom(0, nodeOf(value));
  },
  additionalItems: ({ value, schema, dialect, nodeOf }) => {
    const listed = own(schema, 'items');
    return dialect < 2020 && Array.isArray(listed) ? eachFrom(listed.length, nodeOf(value)) : undefined;
  },
  contains: ({ value, schema, dialect, nodeOf }) => {
    if (dialect === 4) return undefined;
    const node = nodeOf(value);
    const bound = (name: string, fallback: number): number => {
      const given = dialect >= 2019 ? own(schema, name) : undefined;
      return typeof given === 'number' ? given : fallback;
    };
    const least = bound('minContains', 1);
    const most = bound('maxContains', Number.POSITIVE_INFINITY);
    return ofItems((list, run, marks) => {
      const { issues } = run;
      run.issues = undefined;
      const found = [...list.keys()].filter((i) => applyTo(i, node, list[i], run));
      run.issues = issues;
      if (dialect >= 2020) for (const i of found) marks?.position(i);
      if (found.length < least) return run.fail('contains', `must contain at least ${least} items of the kind that the schema describes`);
      return found.length <= most || run.fail('maxContains', `must contain at most ${most} items of the kind that the schema describes`);
    });
  },
  required: ({ value }: Site) => {
    if (!Array.isArray(value)) return undefined;
    return ofMembers((record, run) => every(value, run, (name) => Object.hasOwn(record, name) || run.fail('required', lacking(name))));
  },
  properties: ({ value, nodeOf }: Site<object>) => {
    const nodes = Object.entries(value).map(([name, schema]) => [name, nodeOf(schema)] as const);
    return ofMembers((record, run, marks) =>
      every(nodes, run, ([name, node]) => {
        if (!Object.hasOwn(record, name)) return true;
        marks?.name(name);
        return applyTo(name, node, record[name], run);
      }),
    );
  },
  patternProperties: ({ value, nodeOf, patternOf }: Site<object>) => {
    const patterns = Object.entries(value).map(([source, schema]) => [patternOf(source), nodeOf(schema)] as const);
    return ofMembers((record, run, marks) =>
      every(Object.keys(record), run, (name) =>
        every(patterns, run, ([pattern, node]) => {
          if (!pattern.test(name)) return true;
          marks?.name(name);
          return applyTo(name, node, record[name], run);
        }),
      ),
    );
  },
  additionalProperties: (site) => {
    const isSpokenOf = isNamedIn(site);
    const node = site.nodeOf(site.value);
    return ofMembers((record, run, marks) => {
      marks?.allNames();
      return every(Object.keys(record), run, (name) => isSpokenOf(name) || applyOrForbid(name, node, record, run, 'additionalProperties'));
    });
  },
  propertyNames: ({ value, dialect, nodeOf }) => {
    if (dialect === 4) return undefined;
    const node = nodeOf(value);
    return ofMembers((record, run) => every(Object.keys(record), run, (name) => applyTo(name, node, name, run)));
  },
  dependentRequired: ({ value, dialect }: Site<Record<string, string[]>>) =>
    dialect < 2019 ? undefined : all(Object.entries(value).map(([name, wanted]) => needs(name, wanted, 'dependentRequired'))),
  dependentSchemas: ({ value, dialect, nodeOf }: Site<object>) =>
    dialect < 2019 ? undefined : all(Object.entries(value).map(([name, schema]) => implies(name, nodeOf(schema)))),
  dependencies: ({ value, nodeOf }: Site<object>) =>
    all(
      Object.entries(value).map(([name, wanted]) =>
        Array.isArray(wanted) ? needs(name, wanted, 'dependencies') : implies(name, nodeOf(wanted)),
      ),
    ),
};

/** Keywords that run last, when all others have set their marks. */
export const lateKeywords: Record<string, Keyword<unknown>> = {
  unevaluatedItems: ({ value, dialect, nodeOf }) => {
    if (dialect < 2019) return undefined;
    const node = nodeOf(value);
    return ofItems((list, run, marks) => {
      const rest = [...list.keys()].filter((i) => !marks?.hasPosition(i));
      marks?.itemsUpTo(list.length);
      return every(rest, run, (i) => applyOrForbid(i, node, list, run, 'unevaluatedItems'));
    });
  },
  unevaluatedProperties: ({ value, dialect, nodeOf }) => {
    if (dialect < 2019) return undefined;
    const node = nodeOf(value);
    return ofMembers((record, run, marks) => {
      const rest = Object.keys(record).filter((name) => !marks?.hasName(name));
      marks?.allNames();
      return every(rest, run, (name) => applyOrForbid(name, node, record, run, 'unevaluatedProperties'));
    });
  },
};

/** Reports a part that the schema `false` forbids under the keyword's name. */
function applyOrForbid<Part extends string | number>(
  part: Part,
  node: SchemaNode,
  holder: Readonly<Record<Part, unknown>>,
  run: Run,
  keyword: string,
): boolean {
  if (node.verdict === false) return failAt(part, run, keyword, 'must not be there: the schema does not speak of it');
  return applyTo(part, node, holder[part], run);
}
