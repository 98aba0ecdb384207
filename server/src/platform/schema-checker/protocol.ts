import type { SchemaFault } from '../json-schema/documents.ts';
import type { SchemaIssue } from '../json-schema/run.ts';

/** Why a schema can't be used: in one sentence, and all that is wrong with it. */
export interface SchemaRefusal {
  reason: string;
  faults: SchemaFault[];
}

/** What a worker is asked: to try a schema, to run one on several values, to run one once without remembering it, or to hash values. */
export interface Question {
  kind: 'compile' | 'validate' | 'validate once' | 'hash';
  /** Which schema: the worker remembers those it has seen. */
  key: string;
  /** The schema itself, where the worker may not have seen it. */
  text: string | undefined;
  tasks: Task[];
}

export interface Task {
  /** JSON in UTF-8. Empty to try a schema. */
  json: Uint8Array<ArrayBuffer>;
  /** Milliseconds of processor time. */
  budgetMs: number;
}

/**
 * compiled and refused: the schema can be used, or not. unknown: send the schema along. out of time: the budget was
 * used up. not begun: those before it took so long that others are to have their turn.
 */
export type Reply =
  | { kind: 'compiled' | 'unknown' | 'out of time' | 'not begun' }
  | { kind: 'refused'; refusal: SchemaRefusal }
  | { kind: 'hashed'; sha256: Uint8Array }
  | { kind: 'checked'; issues: SchemaIssue[] | undefined; usedMs: number };

/** What a worker says: first that it is there, with no replies, then a reply for each task of a question. */
export interface Said {
  replies: Reply[] | undefined;
  /** Processor time that it has used since it was started. */
  cpuMs: number;
}
