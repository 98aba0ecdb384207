import type { SchemaFault } from '../schema/documents.ts';
import type { SchemaIssue } from '../schema/run.ts';

export interface SchemaRefusal {
  reason: string;
  faults: SchemaFault[];
}

/** A request to a worker. `validate once`: the schema is not cached. */
export interface Question {
  kind: 'compile' | 'validate' | 'validate once' | 'hash' | 'canonical';
  key: string;
  text: string | undefined;
  tasks: Task[];
}

export interface Task {
  json: Uint8Array<ArrayBuffer>;
  budgetMs: number;
}

/**
 * compiled, refused: whether the schema can be used. unknown: the worker needs the schema's text. out of time: the budget is used up. not
 * begun: earlier tasks took so long that others get their turn first.
 */
export type Reply =
  | { kind: 'compiled' | 'unknown' | 'out of time' | 'not begun' }
  | { kind: 'refused'; refusal: SchemaRefusal }
  | { kind: 'hashed'; canonical: Uint8Array; bytes: Uint8Array }
  | { kind: 'canonical'; json: Uint8Array }
  | { kind: 'checked'; issues: SchemaIssue[] | undefined; usedMs: number };

/** A message of a worker. The first one has no replies: the worker is ready. */
export interface Said {
  replies: Reply[] | undefined;
  cpuMs: number;
}
