import { Type } from 'typebox';
import { formatId } from '../../contract/ids.ts';
import { COMMENT_MAX_CHARS, MENTIONS_PER_COMMENT_MAX } from '../../contract/limits.ts';
import { closed, endsEarly, pageSchema, pagingFields } from '../../contract/paging.ts';
import { ColleagueSchema } from '../../contract/threads.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { jsonPage } from '../../http/json-page.ts';
import { colleagueView } from './colleagues.ts';
import { addComment, type CommentRow, type CommentServices, listComments } from './comments.ts';

const { endpoint } = endpointsFor<CommentServices>();

const CommentSchema = Type.Object(
  {
    id: Type.String({ description: 'cmt_ id' }),
    author: ColleagueSchema,
    text: Type.String(),
    mentions: Type.Array(ColleagueSchema),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Comment', ...closed, description: 'A comment inside of your business. The other party never sees it.' },
);

const idParams = Type.Object({ id: Type.String({ description: 'thr_ id' }) });

export const list = endpoint({
  summary: 'List the comments on a thread, oldest first',
  params: idParams,
  query: Type.Object(pagingFields, closed),
  success: { status: 200, description: endsEarly('A page of comments.'), schema: pageSchema(CommentSchema) },
  errors: ['not_found', 'validation_error'],
  handle: async (context, call) => ({
    body: await jsonPage(await listComments(context, call.caller, call.params.id, call.query), commentView, call),
  }),
});

export const add = endpoint({
  summary: 'Comment on a thread',
  description: 'Only members and agents of your business see it. Those who are mentioned get a notification.',
  params: idParams,
  body: Type.Object(
    {
      text: Type.String({ minLength: 1, maxLength: COMMENT_MAX_CHARS }),
      mentions: Type.Optional(
        Type.Array(Type.String({ maxLength: 64, description: 'usr_ or agt_ id of a member or an agent.' }), {
          maxItems: MENTIONS_PER_COMMENT_MAX,
        }),
      ),
    },
    closed,
  ),
  success: { status: 201, description: 'The comment.', schema: CommentSchema },
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'not_found', 'conflict'],
  handle: async (context, { caller, params, body }) => ({ body: commentView(await addComment(context, caller, params.id, body)) }),
});

function commentView(row: CommentRow) {
  return {
    id: formatId('cmt', row.id),
    author: colleagueView({ kind: row.author_kind, id: row.author_id, name: row.author_name }),
    text: row.text,
    mentions: row.mentions.map(colleagueView),
    created_at: row.created_at.toISOString(),
  };
}
