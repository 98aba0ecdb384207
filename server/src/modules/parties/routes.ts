import { Type } from 'typebox';
import { type Cursors, pageOf } from '../../contract/cursors.ts';
import { HANDLE_QUESTION_MAX_CHARS, PAGE_DEFAULT_ITEMS } from '../../contract/limits.ts';
import { asciiLowerCase } from '../../contract/names.ts';
import { closed, pageSchema, pagingFields } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import type { PartyDirectory } from './directory.ts';
import { claimedAs, handleFields, PublicProfileSchema, profileView } from './profile.ts';

const { endpoint, personEndpoint, publicEndpoint } = endpointsFor<{ parties: PartyDirectory; cursors: Cursors }>();

export const search = endpoint({
  summary: 'Search claimed handles by prefix',
  query: Type.Object(
    {
      ...pagingFields,
      q: Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The beginning of the handle, in upper or lower case. No character is a wildcard.',
      }),
    },
    closed,
  ),
  success: { status: 200, description: 'A page of handles, in alphabetical order.', schema: pageSchema(Type.Object(handleFields, closed)) },
  errors: ['validation_error'],
  handle: async ({ parties, cursors }, { caller, query: { q, limit = PAGE_DEFAULT_ITEMS, cursor } }) => {
    const prefix = asciiLowerCase(q);
    const scope = ['handles', caller.business.id.toString(), prefix];
    const rows = await parties.startingWith(prefix, cursors.open(scope, cursor) ?? '', limit + 1);
    const { items, nextCursor } = pageOf(rows, limit, ({ handle }) => cursors.issue(scope, handle));
    return { body: { data: items, next_cursor: nextCursor } };
  },
});

export const availability = personEndpoint({
  summary: 'Check whether a handle can be claimed',
  description:
    'For a form that checks while somebody types: whatever the text is, the status is 200. Somebody else may still claim the handle first.',
  query: Type.Object({ handle: Type.String({ maxLength: HANDLE_QUESTION_MAX_CHARS, description: 'In upper or lower case.' }) }, closed),
  success: {
    status: 200,
    description: 'The result that a claim would have.',
    schema: Type.Object(
      {
        handle: Type.String({ description: 'The handle as it would be claimed, or as given if it is invalid.' }),
        available: Type.Boolean(),
        reason: Type.Union([Type.Enum(['taken', 'reserved', 'invalid']), Type.Null()], { description: 'Null when it is available.' }),
      },
      { $id: 'Availability', ...closed },
    ),
  },
  errors: ['validation_error'],
  handle: async ({ parties }, { query }) => {
    const { handle, objection } = await parties.judge(query.handle);
    return { body: { handle, available: objection === null, reason: objection } };
  },
});

export const publicProfile = publicEndpoint({
  summary: 'Get the public profile of a handle',
  isCrossOrigin: true,
  params: Type.Object({ handle: Type.String() }),
  success: { status: 200, description: 'The profile.', schema: PublicProfileSchema },
  errors: ['not_found'],
  handle: async ({ parties }, { params }) => ({ body: profileView(await claimedAs(parties, params.handle)) }),
});
