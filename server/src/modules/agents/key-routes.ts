import { Type } from 'typebox';
import { type Cursors, pageOf } from '../../contract/cursors.ts';
import { Refusal } from '../../contract/errors.ts';
import { formatId, parseId } from '../../contract/ids.ts';
import { PAGE_DEFAULT_ITEMS } from '../../contract/limits.ts';
import { closed, pageSchema, pagingFields } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { createKey, listKeys, revokeKey } from './agents.ts';

const { memberEndpoint } = endpointsFor<{ database: Database; cursors: Cursors }>();

const time = Type.String({ format: 'date-time' });
const scope = Type.Enum(['read', 'read_write']);
const fields = { id: Type.String({ description: 'key_ id' }), scope };

const KeySchema = Type.Object(
  {
    ...fields,
    prefix: Type.String({ description: 'The beginning of the secret.' }),
    created_at: time,
    last_used_at: Type.Union([time, Type.Null()]),
    revoked_at: Type.Union([time, Type.Null()]),
  },
  { $id: 'Key', ...closed },
);

const agentParams = Type.Object({ id: Type.String({ description: 'agt_ id' }) });

export const list = memberEndpoint({
  summary: 'List the keys of an agent',
  params: agentParams,
  query: Type.Object(pagingFields, closed),
  success: { status: 200, description: 'A page of keys, in the order of their creation.', schema: pageSchema(KeySchema) },
  errors: ['not_found', 'validation_error'],
  handle: async ({ database, cursors }, { caller, params, query: { limit = PAGE_DEFAULT_ITEMS, cursor } }) => {
    const agentId = uuidOf('agt', params.id);
    const scope = ['keys', caller.business.id.toString(), agentId];
    const rows = await listKeys(database, caller.business.id, agentId, cursors.open(scope, cursor) ?? null, limit + 1);
    const { items, nextCursor } = pageOf(rows, limit, ({ id }) => cursors.issue(scope, id));
    return {
      body: {
        data: items.map(({ id, scope, prefix, createdAt, lastUsedAt, revokedAt }) => ({
          ...{ id: formatId('key', id), scope, prefix, created_at: createdAt.toISOString() },
          ...{ last_used_at: lastUsedAt?.toISOString() ?? null, revoked_at: revokedAt?.toISOString() ?? null },
        })),
        next_cursor: nextCursor,
      },
    };
  },
});

export const mint = memberEndpoint({
  summary: 'Create a key for an agent',
  params: agentParams,
  body: Type.Object({ scope }, closed),
  success: {
    status: 201,
    description: 'The key with its secret, which is shown only once.',
    schema: Type.Object({ ...fields, secret: Type.String() }, closed),
  },
  errors: ['not_found', 'validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'conflict'],
  handle: async ({ database }, { caller, params, body }) => {
    const { id, scope, secret } = await createKey(database, caller.business.id, uuidOf('agt', params.id), body.scope);
    return { body: { id: formatId('key', id), scope, secret } };
  },
});

export const revoke = memberEndpoint({
  summary: 'Revoke a key',
  params: Type.Object({ id: Type.String({ description: 'key_ id' }) }),
  success: { status: 204, description: 'Revoked: the key is refused from the next request on.' },
  errors: ['not_found'],
  handle: async ({ database }, { caller, params }) => {
    await revokeKey(database, caller.business.id, uuidOf('key', params.id));
    return {};
  },
});

function uuidOf(prefix: 'agt' | 'key', id: string): string {
  const uuid = parseId(prefix, id);
  if (uuid === undefined) throw new Refusal('not_found', `The ${prefix === 'agt' ? 'agent' : 'key'} was not found.`);
  return uuid;
}
