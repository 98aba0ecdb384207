import type { Budget } from './budget.ts';
import type { Resource } from './documents.ts';

const ERRORS_MAX = 50;
const MESSAGE_MAX_CHARS = 300;
const PATH_MAX_CHARS = 2_000;

export interface SchemaIssue extends OwnersPart {
  path: string;
  message: string;
  keyword: string;
}

/** What an issue tells of the schema's values. The message shows none, because others than the owner of the schema read it. */
export interface OwnersPart {
  /** The first values of `enum`, or that of `const`, and how many there are. */
  allowed?: unknown[];
  allowed_count?: number;
  pattern?: string;
}

/** The members and items of one value that schemas have evaluated. The rest is unevaluated. */
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

/** The state of one evaluation: its position in the value, the resources it passed, and the issues it found. */
export class Run {
  readonly budget: Budget;
  readonly path: (string | number)[] = [];
  readonly scope: Resource[] = [];
  /** Undefined if only the result matters: then the first failure ends the evaluation. */
  issues: SchemaIssue[] | undefined;

  constructor(budget: Budget, collects: boolean) {
    this.budget = budget;
    this.issues = collects ? [] : undefined;
  }

  get hasEnough(): boolean {
    return this.issues === undefined || this.issues.length >= ERRORS_MAX;
  }

  /** Returns false, so that a check can return the call. */
  fail(keyword: string, message: string, owners?: OwnersPart): false {
    if (this.issues !== undefined && this.issues.length < ERRORS_MAX) {
      this.issues.push({ path: pointerTo(this.path), message: shorten(message), keyword, ...owners });
    }
    return false;
  }
}

/** A JSON Pointer. If the path is too long to repeat in each issue, the pointer to its innermost ancestor that is short enough. */
export function pointerTo(path: readonly (string | number)[]): string {
  let pointer = '';
  for (const part of path) {
    const next = `${pointer}/${typeof part === 'number' ? part : part.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (next.length > PATH_MAX_CHARS) break;
    pointer = next;
  }
  return pointer;
}

function shorten(message: string): string {
  return message.length > MESSAGE_MAX_CHARS ? `${message.slice(0, MESSAGE_MAX_CHARS)}…` : message;
}
