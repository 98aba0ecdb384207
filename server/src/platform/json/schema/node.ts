import type { Resource } from './documents.ts';
import { Marks, type Run } from './run.ts';

/** A compiled keyword. It reports problems to the run, and returns whether there were none. */
export type Check = (value: unknown, run: Run, marks: Marks | undefined) => boolean;

/** A compiled schema. It is filled after its creation, because schemas refer to each other. */
export interface SchemaNode {
  resource: Resource;
  verdict: boolean | undefined;
  checks: Check[];
  /** Checks that depend on the marks of the others. */
  lateChecks: Check[];
  /** The schemas that always apply to the same value. */
  always: SchemaNode[];
}

/** `marks` belong to this evaluation. The caller keeps them if it returns true. */
export function evaluate(node: SchemaNode, value: unknown, run: Run, given: Marks | undefined): boolean {
  run.budget.step();
  if (node.verdict !== undefined) return node.verdict || run.fail('false schema', 'is not allowed here');
  const isNewScope = run.scope.at(-1) !== node.resource;
  if (isNewScope) run.scope.push(node.resource);
  const marks = given ?? (node.lateChecks.length > 0 ? new Marks() : undefined);
  const isValid = passAll(node.checks, value, run, marks) && passAll(node.lateChecks, value, run, marks);
  if (isNewScope) run.scope.pop();
  return isValid;
}

function passAll(checks: readonly Check[], value: unknown, run: Run, marks: Marks | undefined): boolean {
  let isValid = true;
  for (const check of checks) {
    if (check(value, run, marks)) continue;
    isValid = false;
    if (run.hasEnough) break;
  }
  return isValid;
}

export function applyInPlace(node: SchemaNode, value: unknown, run: Run, marks: Marks | undefined): boolean {
  const inner = marks && new Marks();
  const isValid = evaluate(node, value, run, inner);
  if (isValid && inner) marks?.add(inner);
  return isValid;
}

export function tryInPlace(node: SchemaNode, value: unknown, run: Run, marks: Marks | undefined): boolean {
  const { issues } = run;
  run.issues = undefined;
  const isValid = applyInPlace(node, value, run, marks);
  run.issues = issues;
  return isValid;
}

export function applyTo(part: string | number, node: SchemaNode, value: unknown, run: Run): boolean {
  run.path.push(part);
  const isValid = evaluate(node, value, run, undefined);
  run.path.pop();
  return isValid;
}

export function failAt(part: string | number, run: Run, keyword: string, message: string): false {
  run.path.push(part);
  run.fail(keyword, message);
  run.path.pop();
  return false;
}
