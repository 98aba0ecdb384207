import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FOLDER } from './library.ts';

export const EXAMPLES_FILE = path.join(FOLDER, 'reference/examples.json');

export type ClientLanguage = 'typescript' | 'python' | 'cli';

/** A recorded request and its response. `$URL` stands for the service's address. */
export interface Example {
  request: {
    method: string;
    path: string;
    by: 'key' | 'person' | 'nobody';
    headers: Record<string, string>;
    body?: unknown;
  };
  response: {
    status: number;
    contentType: string | null;
    body?: unknown;
  };
  /** The clients whose sample made the same request when this was recorded. Pages show these, beside curl. */
  clients: ClientLanguage[];
}

let examples: Record<string, Example> | undefined;

/** server/test/documents/examples.test.ts records the examples. */
export function exampleOf(operationId: string): Example | undefined {
  examples ??= readExamples();
  return Object.hasOwn(examples, operationId) ? examples[operationId] : undefined;
}

function readExamples(): Record<string, Example> {
  return JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8'));
}
