import { Type } from 'typebox';
import { SCHEMA_MAX_BYTES } from '../../contract/limits.ts';
import type { StoredSchema } from './store.ts';

/** Leaves room for the name of the member, and white space. */
export const ROOM_AROUND_BYTES = 1_024;

export const schemaField = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Boolean()], {
  description: `A JSON Schema of at most ${SCHEMA_MAX_BYTES} bytes: an object, or true or false.`,
});

/** The JSON is spliced from text, so that the schema stays as written. */
export function schemaMembers(stored: Pick<StoredSchema, 'text' | 'updatedAt'> | undefined): string {
  return `"schema":${stored?.text ?? 'null'},"updated_at":${JSON.stringify(stored?.updatedAt.toISOString() ?? null)}`;
}
