import { Type } from 'typebox';
import { type Cursors, pageOf } from '../../contract/cursors.ts';
import { formatId } from '../../contract/ids.ts';
import { PAGE_DEFAULT_ITEMS } from '../../contract/limits.ts';
import { closed, pageSchema, pagingFields } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import type { Block, Blocks } from './blocks.ts';

const { endpoint } = endpointsFor<{ blocks: Blocks; cursors: Cursors }>();

const nullableText = (description: string, maxLength = 255) => Type.Union([Type.String({ maxLength }), Type.Null()], { description });

const BlockSchema = Type.Object(
  {
    id: Type.String({ description: 'blk_ id' }),
    user_id: nullableText('The person or mailbox that is blocked; null for other blocks.'),
    email_domain: nullableText('The domain that is blocked, with all below it; null for other blocks.'),
    handle: nullableText('The business that is blocked, by the handle it has now; null for other blocks.'),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Block', ...closed },
);

export const list = endpoint({
  summary: 'List your blocks',
  query: Type.Object(pagingFields, closed),
  success: { status: 200, description: 'A page of blocks, in the order of their creation.', schema: pageSchema(BlockSchema) },
  errors: ['validation_error'],
  handle: async ({ blocks, cursors }, { caller: { business }, query: { limit = PAGE_DEFAULT_ITEMS, cursor } }) => {
    const scope = ['blocks', business.id.toString()];
    const rows = await blocks.list(business.id, cursors.open(scope, cursor) ?? null, limit + 1);
    const { items, nextCursor } = pageOf(rows, limit, ({ id }) => cursors.issue(scope, id));
    return { body: { data: items.map(blockView), next_cursor: nextCursor } };
  },
});

export const add = endpoint({
  summary: 'Block a sender',
  description:
    'Give exactly one of `user_id`, `email_domain` and `handle`. A person and a mailbox that the person has proven to hold are one: a block of either covers both. A domain covers people and mailboxes of it and of its subdomains, and businesses that have verified it. A handle covers the agents, people and mailboxes that write for the business. Blocking again returns 200 with the existing block.',
  body: Type.Object(
    {
      user_id: Type.Optional(nullableText('`from.actor.id` of a message that a person or mailbox sent.')),
      email_domain: Type.Optional(nullableText('A mail domain such as example.com.')),
      handle: Type.Optional(nullableText('The handle of a business.')),
    },
    closed,
  ),
  exactlyOneOf: ['user_id', 'email_domain', 'handle'],
  success: { status: 201, description: 'The block, which is effective from now on.', schema: BlockSchema },
  also: [{ status: 200, description: 'The existing block.', schema: BlockSchema }],
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'not_found', 'conflict'],
  handle: async ({ blocks }, { caller, body }) => {
    const { block, isNew } = await blocks.add(caller.business.id, body);
    return { status: isNew ? 201 : 200, body: blockView(block) };
  },
});

export const remove = endpoint({
  summary: 'Remove a block',
  params: Type.Object({ id: Type.String({ description: 'blk_ id' }) }),
  success: { status: 204, description: 'Removed.' },
  errors: ['not_found', 'unsupported_media_type', 'json_too_large'],
  handle: async ({ blocks }, { caller, params }) => {
    await blocks.remove(caller.business.id, params.id);
    return {};
  },
});

function blockView({ id, userId, emailDomain, handle, createdAt }: Block) {
  return { id: formatId('blk', id), user_id: userId, email_domain: emailDomain, handle, created_at: createdAt.toISOString() };
}
