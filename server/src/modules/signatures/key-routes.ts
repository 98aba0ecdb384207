import { Type } from 'typebox';
import { type Cursors, pageOf } from '../../contract/cursors.ts';
import { Refusal } from '../../contract/errors.ts';
import { formatId, parseId } from '../../contract/ids.ts';
import { PAGE_DEFAULT_ITEMS, SIGNING_KEY_MAX_CHARS } from '../../contract/limits.ts';
import { closed, pageSchema, pagingFields } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { getAgent } from '../agents/agents.ts';
import { domainsOfKeys, type KeyDomain } from '../domain-keys/domain-keys.ts';
import { keyDomainView, SigningKeySchema } from './signature-schema.ts';
import { listSigningKeys, registerKey, revokeSigningKey, type SigningKeyRecord } from './signing-keys.ts';

const { endpoint, memberEndpoint } = endpointsFor<{ database: Database; cursors: Cursors }>();

const agentParams = Type.Object({ id: Type.String({ description: 'agt_ id' }) });

export const list = endpoint({
  summary: 'List the signing keys of an agent',
  params: agentParams,
  query: Type.Object(pagingFields, closed),
  success: {
    status: 200,
    description: 'A page of signing keys, revoked ones included, in the order of their registration.',
    schema: pageSchema(SigningKeySchema),
  },
  errors: ['not_found', 'validation_error'],
  handle: async ({ database, cursors }, { caller: { business }, params, query: { limit = PAGE_DEFAULT_ITEMS, cursor } }) => {
    const { id: agentId } = await getAgent(database, business.id, uuidOf('agt', params.id));
    const scope = ['signing-keys', business.id.toString(), agentId];
    const rows = await listSigningKeys(database, business.id, agentId, cursors.open(scope, cursor) ?? null, limit + 1);
    const { items, nextCursor } = pageOf(rows, limit, ({ id }) => cursors.issue(scope, id));
    const domains = await domainsOf(database, business.id, items);
    return { body: { data: items.map((key) => signingKeyView(key, domains)), next_cursor: nextCursor } };
  },
});

export const register = memberEndpoint({
  summary: 'Register a signing key for an agent',
  description:
    'The public half of an Ed25519 key whose private half only the agent has. The registration is put into the log. The same key again returns what is registered.',
  params: agentParams,
  body: Type.Object(
    { public_key: Type.String({ maxLength: SIGNING_KEY_MAX_CHARS, description: 'The 32 bytes of the key in base64.' }) },
    closed,
  ),
  success: { status: 201, description: 'The key is registered: the agent can sign with it.', schema: SigningKeySchema },
  errors: ['not_found', 'validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'conflict'],
  handle: async ({ database }, { caller: { business }, params, body }) => {
    const key = await registerKey(database, business, uuidOf('agt', params.id), body.public_key);
    return { body: signingKeyView(key, await domainsOf(database, business.id, [key])) };
  },
});

export const revoke = memberEndpoint({
  summary: 'Revoke a signing key',
  description: 'The revocation is put into the log. What the key signed before stays proven.',
  params: Type.Object({ id: Type.String({ description: 'agt_ id' }), key_id: Type.String({ description: 'sgk_ id' }) }),
  success: { status: 204, description: 'Revoked: what the key signs is refused from the next request on.' },
  errors: ['not_found'],
  handle: async ({ database }, { caller: { business }, params }) => {
    await revokeSigningKey(database, business, uuidOf('agt', params.id), uuidOf('sgk', params.key_id));
    return {};
  },
});

function domainsOf(database: Database, partyId: bigint, keys: readonly SigningKeyRecord[]): Promise<Map<string, KeyDomain>> {
  const publicKeys = keys.map(({ publicKey }) => publicKey);
  return domainsOfKeys(database, partyId, publicKeys);
}

function signingKeyView({ id, publicKey, createdAt, revokedAt }: SigningKeyRecord, domains: ReadonlyMap<string, KeyDomain>) {
  const text = publicKey.toString('base64');
  return {
    id: formatId('sgk', id),
    public_key: text,
    created_at: createdAt.toISOString(),
    revoked_at: revokedAt?.toISOString() ?? null,
    domain: keyDomainView(domains.get(text)),
  };
}

function uuidOf(prefix: 'agt' | 'sgk', id: string): string {
  const uuid = parseId(prefix, id);
  if (uuid === undefined) throw new Refusal('not_found', `The ${prefix === 'agt' ? 'agent' : 'signing key'} was not found.`);
  return uuid;
}
