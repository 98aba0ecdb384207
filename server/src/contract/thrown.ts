import { isRecord } from './records.ts';

/** Anything can be thrown, so nothing is known of a caught value until it is looked at. */

/** The code that Node.js, Fastify or PostgreSQL gave an error. */
export function codeOf(error: unknown): string | undefined {
  return isRecord(error) && typeof error['code'] === 'string' ? error['code'] : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
