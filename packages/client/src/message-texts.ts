// Generated from server/src/contract/message-fields.ts by `npm run api-types`; a test fails when it is out of date.

/** The texts of a message that content_hash covers. */
export interface HashedTexts {
  type: string | null;
  subject: string | null;
  note: string | null;
  expires_at: string | null;
}

/** Those of a message that has none. */
export const NO_HASHED_TEXTS: Readonly<HashedTexts> = { type: null, subject: null, note: null, expires_at: null };

/** Covered in every message, also where they are null. */
export const ALWAYS_HASHED: readonly (keyof HashedTexts)[] = ['type', 'subject', 'note'];

/** Covered only in messages that have them, because the hashes of older messages must not change. */
export const HASHED_IF_GIVEN: readonly (keyof HashedTexts)[] = ['expires_at'];
