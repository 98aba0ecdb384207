import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FOLDER } from './library.ts';

export const EXAMPLES_FILE = path.join(FOLDER, 'reference/examples.json');

export type ClientLanguage = 'typescript' | 'python' | 'cli';

/** A request as somebody made it, and what the service responded. `$URL` stands for its address. */
export interface Example {
  request: {
    method: string;
    /** With its query. */
    path: string;
    /** A key, the session of a person who has signed in, or neither. */
    by: 'key' | 'person' | 'nobody';
    headers: Record<string, string>;
    /** JSON, or the text of a file. */
    body?: unknown;
  };
  response: {
    status: number;
    contentType: string | null;
    /** JSON or text; left out where there is none, or one that is not for reading. */
    body?: unknown;
  };
  /** The clients whose sample made the same request when this was recorded: pages show these, beside curl. */
  clients: ClientLanguage[];
}

let examples: Record<string, Example> | undefined;

/** What was recorded of an operation (server/test/documents/examples.test.ts). */
export function exampleOf(operationId: string): Example | undefined {
  examples ??= readExamples();
  return Object.hasOwn(examples, operationId) ? examples[operationId] : undefined;
}

function readExamples(): Record<string, Example> {
  return JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8'));
}
