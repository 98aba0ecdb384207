import { Type } from 'typebox';
import { SummarySchema } from '../../contract/envelope.ts';
import { SEARCH_MARKED_WORDS_MAX, SEARCH_QUERY_MAX_CHARS } from '../../contract/limits.ts';
import { closed, pageSchema, pagingFields } from '../../contract/paging.ts';
import { ColleagueSchema } from '../../contract/threads.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import type { EnvelopeServices } from '../messages/envelopes.ts';
import { MATCHED_FIELDS } from './matches.ts';
import type { Searches } from './search.ts';
import { resultsBody } from './search-page.ts';

const { endpoint } = endpointsFor<EnvelopeServices & { searches: Searches }>();

const MatchSchema = Type.Object(
  {
    field: Type.Enum([...MATCHED_FIELDS]),
    text: Type.String({ description: 'The field, or a part of it around what matched. In `json`, escapes are resolved.' }),
    marks: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
      description: 'What matched in `text`: start and end of each mark, counted in Unicode code points.',
    }),
  },
  { $id: 'SearchMatch', ...closed },
);

const ResultSchema = Type.Object(
  {
    message: SummarySchema,
    thread_id: Type.String({ description: 'thr_ id' }),
    thread_subject: Type.Union([Type.String(), Type.Null()], {
      description: 'The first one that was given in the thread: replies seldom have one of their own.',
    }),
    matches: Type.Array(MatchSchema, {
      description: `Each field once. Empty if only operators matched, or after ${SEARCH_MARKED_WORDS_MAX} words of a page have been compared.`,
    }),
    comment: Type.Optional(
      Type.Object(
        {
          id: Type.String({ description: 'cmt_ id' }),
          author: ColleagueSchema,
          text: Type.String(),
          created_at: Type.String({ format: 'date-time' }),
        },
        { ...closed, description: 'Only if a comment of your business matched; then `message` is the last one of the thread.' },
      ),
    ),
  },
  { $id: 'SearchResult', ...closed },
);

const COMPLETE = {
  complete: Type.Boolean({
    description:
      'False for a while after the first search of your business, which waits up to 3 seconds for that: older messages are still being read, the newest threads first.',
  }),
};

export const find = endpoint({
  summary: 'Search messages and comments, newest first',
  description:
    'Finds words in subject, note, type, names, ids, file names, keys and values of `json`, and comments of your business. A word also finds longer ones that begin with it; "…" finds exactly these words. Operators: from: to: type: label: assignee: is:open is:done is:unread has:file has:json before: after:, and of the document of the thread number: state: due:<7d due:>2026-12-01 total:>1000. A page can be short, even empty, and still have a `next_cursor`.',
  query: Type.Object(
    { q: Type.String({ minLength: 1, maxLength: SEARCH_QUERY_MAX_CHARS, description: 'What to search for.' }), ...pagingFields },
    closed,
  ),
  success: { status: 200, description: 'A page of results.', schema: pageSchema(ResultSchema, {}, COMPLETE) },
  errors: ['validation_error', 'rate_limited'],
  handle: async (context, call) => ({
    body: await resultsBody(context, call.caller, await context.searches.find(call.caller, call.query, call.spend), call),
  }),
});
