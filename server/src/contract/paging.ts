import { type TSchema, Type } from 'typebox';
import { MB, PAGE_DEFAULT_ITEMS, PAGE_MAX_BYTES, PAGE_MAX_ITEMS } from './limits.ts';

export const pagingFields = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_MAX_ITEMS, description: `Items per page; ${PAGE_DEFAULT_ITEMS} by default.` }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 512, description: 'next_cursor of the previous page. Valid only for the same list with the same filters.' }),
  ),
};

export function endsEarly(page: string): string {
  return `${page} It ends early, with a \`next_cursor\`, when it has about ${PAGE_MAX_BYTES / MB} MB.`;
}

export const closed = { additionalProperties: false } as const;

export function pageSchema(item: TSchema, before: Record<string, TSchema> = {}, after: Record<string, TSchema> = {}) {
  const nextCursor = Type.Union([Type.String(), Type.Null()], { description: 'Null on the last page.' });
  return Type.Object({ ...before, data: Type.Array(item), next_cursor: nextCursor, ...after }, closed);
}
