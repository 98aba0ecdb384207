import type { Budget } from './budget.ts';
import type { Resource } from './documents.ts';

export const ERRORS_MAX = 50;
const MESSAGE_MAX_CHARS = 300;
const PATH_MAX_CHARS = 2_000;

/** One thing that is wrong with a value; `path` is a JSON Pointer into it. */
export interface SchemaIssue {
  path: string;
  message: string;
  keyword: string;
}

/** Which members and items of one value a schema has looked at; what is left is unevaluated. */
export class Marks {
  readonly #names = new Set<string>();
  readonly #positions = new Set<number>();
  #allNames = false;
  #itemsUpTo = 0;

  name(name: string): void {
    this.#names.add(name);
  }

  allNames(): void {
    this.#allNames = true;
  }

  position(position: number): void {
    this.#positions.add(position);
  }

  itemsUpTo(count: number): void {
    this.#itemsUpTo = Math.max(this.#itemsUpTo, count);
  }

  hasName(name: string): boolean {
    return this.#allNames || this.#names.has(name);
  }

  hasPosition(position: number): boolean {
    return position < this.#itemsUpTo || this.#positions.has(position);
  }

  add(other: Marks): void {
    for (const name of other.#names) this.#names.add(name);
    for (const position of other.#positions) this.#positions.add(position);
    this.#allNames ||= other.#allNames;
    this.itemsUpTo(other.#itemsUpTo);
  }
}

/** The state of one evaluation: where in the value it is, through which resources it came, and what it found. */
export class Run {
  readonly budget: Budget;
  readonly path: (string | number)[] = [];
  readonly scope: Resource[] = [];
  /** Undefined while only the verdict matters: then the first failure ends it. */
  issues: SchemaIssue[] | undefined;

  constructor(budget: Budget, collects: boolean) {
    this.budget = budget;
    this.issues = collects ? [] : undefined;
  }

  get hasEnough(): boolean {
    return this.issues === undefined || this.issues.length >= ERRORS_MAX;
  }

  /** Always false, for the check that failed to return. */
  fail(keyword: string, message: string): false {
    if (this.issues !== undefined && this.issues.length < ERRORS_MAX) {
      this.issues.push({ path: pointerTo(this.path), message: shortened(message), keyword });
    }
    return false;
  }
}

/** Of a place whose name would be too long to repeat in each error, the innermost one around it whose name is not. */
export function pointerTo(path: readonly (string | number)[]): string {
  let pointer = '';
  for (const part of path) {
    const next = `${pointer}/${typeof part === 'number' ? part : part.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (next.length > PATH_MAX_CHARS) break;
    pointer = next;
  }
  return pointer;
}

function shortened(message: string): string {
  return message.length > MESSAGE_MAX_CHARS ? `${message.slice(0, MESSAGE_MAX_CHARS)}…` : message;
}
