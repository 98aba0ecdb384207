import { Type } from 'typebox';
import { type Cursors, pageOf } from '../../contract/cursors.ts';
import { Refusal } from '../../contract/errors.ts';
import { formatId, parseId } from '../../contract/ids.ts';
import { AGENT_DESCRIPTION_MAX_CHARS, AGENT_NAME_MAX_CHARS, PAGE_DEFAULT_ITEMS, SEGMENT_MAX_CHARS } from '../../contract/limits.ts';
import { formatAddress } from '../../contract/names.ts';
import { closed, pageSchema, pagingFields } from '../../contract/paging.ts';
import type { Agent, Business } from '../../contract/parties.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { changeAgent, createAgent, getAgent, listAgents } from './agents.ts';

const { endpoint, memberEndpoint } = endpointsFor<{ database: Database; cursors: Cursors }>();

const AgentSchema = Type.Object(
  {
    id: Type.String({ description: 'agt_ id' }),
    name: Type.String(),
    description: Type.Union([Type.String(), Type.Null()]),
    segment: Type.Union([Type.String(), Type.Null()], { description: 'Its address inside the business.' }),
    address: Type.String({
      description: 'What others write in `to` to reach it: `<handle>/<segment>`, or the bare handle when it has no segment.',
    }),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Agent', ...closed },
);

const idParams = Type.Object({ id: Type.String({ description: 'agt_ id' }) });

export const list = endpoint({
  summary: 'List the agents of your business',
  query: Type.Object(pagingFields, closed),
  success: { status: 200, description: 'A page of agents, in the order of their creation.', schema: pageSchema(AgentSchema) },
  errors: ['validation_error'],
  handle: async ({ database, cursors }, { caller: { business }, query: { limit = PAGE_DEFAULT_ITEMS, cursor } }) => {
    const scope = ['agents', business.id.toString()];
    const rows = await listAgents(database, business.id, cursors.open(scope, cursor) ?? null, limit + 1);
    const { items, nextCursor } = pageOf(rows, limit, ({ id }) => cursors.issue(scope, id));
    return { body: { data: items.map((agent) => agentView(business, agent)), next_cursor: nextCursor } };
  },
});

export const getOne = endpoint({
  summary: 'Get an agent',
  params: idParams,
  success: { status: 200, description: 'The agent.', schema: AgentSchema },
  errors: ['not_found'],
  handle: async ({ database }, { caller: { business }, params }) => ({
    body: agentView(business, await getAgent(database, business.id, uuidOf(params.id))),
  }),
});

export const create = memberEndpoint({
  summary: 'Create an agent',
  body: Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: AGENT_NAME_MAX_CHARS }),
      description: Type.Optional(Type.Union([Type.String({ maxLength: AGENT_DESCRIPTION_MAX_CHARS }), Type.Null()])),
      segment: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: SEGMENT_MAX_CHARS }), Type.Null()])),
    },
    closed,
  ),
  success: { status: 201, description: 'The agent. It has no key yet.', schema: AgentSchema },
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'conflict'],
  handle: async ({ database }, { caller: { business }, body }) => ({
    body: agentView(business, await createAgent(database, business.id, body)),
  }),
});

export const change = endpoint({
  summary: 'Change an agent’s name, description or segment',
  params: idParams,
  body: Type.Object(
    {
      name: Type.Optional(Type.String({ minLength: 1, maxLength: AGENT_NAME_MAX_CHARS })),
      description: Type.Optional(Type.Union([Type.String({ maxLength: AGENT_DESCRIPTION_MAX_CHARS }), Type.Null()])),
      segment: Type.Optional(
        Type.Union([Type.String({ minLength: 1, maxLength: SEGMENT_MAX_CHARS }), Type.Null()], {
          description: 'Letters, digits and hyphens; unique in the business. Null removes it.',
        }),
      ),
    },
    { ...closed, minProperties: 1 },
  ),
  success: { status: 200, description: 'The agent as it is now.', schema: AgentSchema },
  errors: ['not_found', 'validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'conflict'],
  handle: async ({ database }, { caller: { business }, params, body }) => ({
    body: agentView(business, await changeAgent(database, business.id, uuidOf(params.id), body)),
  }),
});

function uuidOf(id: string): string {
  const uuid = parseId('agt', id);
  if (uuid === undefined) throw new Refusal('not_found', 'The agent was not found.');
  return uuid;
}

function agentView({ handle }: Business, { id, name, description, segment, createdAt }: Agent) {
  return {
    id: formatId('agt', id),
    name,
    description,
    segment,
    address: formatAddress(handle, segment),
    created_at: createdAt.toISOString(),
  };
}
