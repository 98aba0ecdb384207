import type { SchemaFault } from '../schema/documents.ts';
import type { SchemaIssue } from '../schema/run.ts';

/** Why a schema can't be used: in one sentence, and as a list of all problems. */
export interface SchemaRefusal {
  reason: string;
  faults: SchemaFault[];
}

/** A request to a worker: compile a schema, run a schema on several values, run one once without remembering it, hash values, or put them into canonical form. */
export interface Question {
  kind: 'compile' | 'validate' | 'validate once' | 'hash' | 'canonical';
  /** Identifies the schema: the worker remembers those it has seen. */
  key: string;
  /** The schema itself, if the worker may not have seen it. */
  text: string | undefined;
  tasks: Task[];
}

export interface Task {
  /** JSON in UTF-8. Empty when compiling. */
  json: Uint8Array<ArrayBuffer>;
  /** Milliseconds of processor time. */
  budgetMs: number;
}

/**
 * compiled and refused: the schema can be used, or not. unknown: send the schema along. out of time: the budget was used
 * up. not begun: the tasks before it took so long that others get their turn first.
 */
export type Reply =
  | { kind: 'compiled' | 'unknown' | 'out of time' | 'not begun' }
  | { kind: 'refused'; refusal: SchemaRefusal }
  | { kind: 'hashed'; canonical: Uint8Array; bytes: Uint8Array }
  | { kind: 'canonical'; json: Uint8Array }
  | { kind: 'checked'; issues: SchemaIssue[] | undefined; usedMs: number };

/** A message of a worker: first that it is ready, without replies, then a reply for each task. */
export interface Said {
  replies: Reply[] | undefined;
  /** Processor time that the worker has used since its start. */
  cpuMs: number;
}
