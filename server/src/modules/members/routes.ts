import { Type } from 'typebox';
import { type Cursors, pageOf } from '../../contract/cursors.ts';
import { Refusal } from '../../contract/errors.ts';
import { formatId, parseId } from '../../contract/ids.ts';
import {
  DISPLAY_NAME_MAX_CHARS,
  HANDLE_MAX_CHARS,
  INVITATION_AGAIN_AFTER_S,
  PAGE_DEFAULT_ITEMS,
  SEGMENT_MAX_CHARS,
} from '../../contract/limits.ts';
import { ROLES } from '../../contract/members.ts';
import { formatAddress } from '../../contract/names.ts';
import { closed, pageSchema, pagingFields } from '../../contract/paging.ts';
import type { Business } from '../../contract/parties.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import {
  accept as acceptInvitation,
  type Invitation,
  type InvitationServices,
  invite as inviteByMail,
  listInvitations,
  readInvitation,
  withdraw,
} from './invitations.ts';
import { changeMember, claimBusiness, listMembers, type Member, removeMember } from './members.ts';

const { memberEndpoint, personEndpoint, publicEndpoint } = endpointsFor<InvitationServices & { cursors: Cursors }>();

const text = Type.String();
const time = Type.String({ format: 'date-time' });
const role = Type.Enum([...ROLES], {
  description: 'owner: everything. admin: everything except changing owners. member: the same as a key with scope read_write.',
});
const segment = Type.Union([Type.String({ minLength: 1, maxLength: SEGMENT_MAX_CHARS }), Type.Null()], {
  description: 'The address inside the business; null without one.',
});
const bodyErrors = ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type'] as const;

const receipts = Type.Enum(['full', 'minimal'], {
  description:
    'What a receipt of a message that you send shows to everybody with its link: the envelope without `json`, or only parties, time and hashes.',
});

const agentCard = Type.Boolean({
  description:
    'Whether you publish an agent card, at `/@<handle>/.well-known/agent-card.json`. It shows everybody the names and descriptions of your agents that have a segment.',
});

const BusinessSchema = Type.Object(
  {
    handle: text,
    display_name: text,
    verified_domains: Type.Array(text),
    accepting_drops: Type.Boolean(),
    receipts,
    agent_card: agentCard,
    created_at: time,
  },
  { $id: 'Business', ...closed },
);

const MemberSchema = Type.Object(
  {
    id: Type.String({ description: 'usr_ id' }),
    name: text,
    email: Type.Union([text, Type.Null()]),
    role,
    segment,
    address: text,
    joined_at: time,
  },
  { $id: 'Member', ...closed },
);

const InvitationSchema = Type.Object(
  { id: Type.String({ description: 'inv_ id' }), email: text, role, segment, created_at: time, expires_at: time },
  { $id: 'Invitation', ...closed },
);

export const claim = personEndpoint({
  summary: 'Claim a handle and create a business that you own',
  body: Type.Object(
    {
      handle: Type.String({ minLength: 1, maxLength: HANDLE_MAX_CHARS }),
      display_name: Type.String({ minLength: 1, maxLength: DISPLAY_NAME_MAX_CHARS }),
    },
    closed,
  ),
  success: { status: 201, description: 'The business.', schema: BusinessSchema },
  errors: [...bodyErrors, 'conflict'],
  handle: async (context, { person, body }) => ({
    body: businessView(await claimBusiness(context, person, body.handle, body.display_name)),
  }),
});

export const showBusiness = memberEndpoint({
  summary: 'Get the business that you act for',
  success: { status: 200, description: 'The business.', schema: BusinessSchema },
  errors: [],
  handle: async (_context, { caller }) => ({ body: businessView(caller.business) }),
});

export const changeBusiness = memberEndpoint({
  summary: 'Change a business’s display name, whether it accepts drops or has an agent card, or what its receipts show',
  description: '`receipts` applies at once, to the receipts of earlier messages too.',
  body: Type.Object(
    {
      display_name: Type.Optional(Type.String({ minLength: 1, maxLength: DISPLAY_NAME_MAX_CHARS })),
      accepting_drops: Type.Optional(Type.Boolean()),
      receipts: Type.Optional(receipts),
      agent_card: Type.Optional(agentCard),
    },
    { ...closed, minProperties: 1 },
  ),
  success: { status: 200, description: 'The changed business.', schema: BusinessSchema },
  errors: [...bodyErrors, 'conflict'],
  handle: async ({ parties }, { caller: { business }, body }) => {
    const change = {
      ...(body.display_name !== undefined && { displayName: body.display_name }),
      ...(body.accepting_drops !== undefined && { acceptingDrops: body.accepting_drops }),
      ...(body.receipts !== undefined && { receipts: body.receipts }),
      ...(body.agent_card !== undefined && { hasAgentCard: body.agent_card }),
    };
    return { body: businessView(await parties.change(business, change)) };
  },
});

export const list = memberEndpoint({
  summary: 'List the members of your business',
  query: Type.Object(pagingFields, closed),
  success: { status: 200, description: 'A page of members.', schema: pageSchema(MemberSchema) },
  errors: ['validation_error'],
  handle: async ({ database, cursors }, { caller: { business }, query: { limit = PAGE_DEFAULT_ITEMS, cursor } }) => {
    const scope = ['members', business.id.toString()];
    const rows = await listMembers(database, business.id, cursors.open(scope, cursor) ?? null, limit + 1);
    const { items, nextCursor } = pageOf(rows, limit, ({ personId }) => cursors.issue(scope, personId));
    return { body: { data: items.map((member) => memberView(business, member)), next_cursor: nextCursor } };
  },
});

const memberParams = Type.Object({ id: Type.String({ description: 'usr_ id' }) });

export const change = memberEndpoint({
  summary: 'Change a member’s role or segment',
  params: memberParams,
  body: Type.Object({ role: Type.Optional(role), segment: Type.Optional(segment) }, { ...closed, minProperties: 1 }),
  success: { status: 200, description: 'The changed member.', schema: MemberSchema },
  errors: [...bodyErrors, 'not_found', 'conflict'],
  handle: async (context, { caller: { business, by }, params, body }) => ({
    body: memberView(business, await changeMember(context, business, by.person, personIdOf(params.id), body)),
  }),
});

export const remove = memberEndpoint({
  summary: 'Remove a member, or leave',
  params: memberParams,
  success: { status: 204, description: 'Removed: the person has no access from the next request on.' },
  errors: ['not_found', 'conflict'],
  handle: async (context, { caller: { business, by }, params }) => {
    await removeMember(context, business, by.person, personIdOf(params.id));
    return {};
  },
});

export const invite = memberEndpoint({
  summary: 'Invite somebody by mail',
  description: `A person who was invited before gets a new mail, after ${INVITATION_AGAIN_AFTER_S / 60} minutes at the earliest; the link in the earlier mail is then invalid.`,
  body: Type.Object({ email: Type.String({ maxLength: 320 }), role, segment: Type.Optional(segment) }, closed),
  success: { status: 201, description: 'Invited.', schema: InvitationSchema },
  errors: [...bodyErrors, 'conflict'],
  handle: async (context, { caller: { business, by, actor }, body }) => ({
    body: invitationView(await inviteByMail(context, business, { person: by.person, name: actor.name }, body)),
  }),
});

export const invitations = memberEndpoint({
  summary: 'List open invitations',
  success: { status: 200, description: 'All of them.', schema: Type.Object({ data: Type.Array(InvitationSchema) }, closed) },
  errors: [],
  handle: async ({ database }, { caller: { business } }) => ({
    body: { data: (await listInvitations(database, business.id)).map(invitationView) },
  }),
});

export const withdrawInvitation = memberEndpoint({
  summary: 'Withdraw an invitation',
  params: Type.Object({ id: Type.String({ description: 'inv_ id' }) }),
  success: { status: 204, description: 'Withdrawn: the link in the mail is invalid.' },
  errors: ['not_found'],
  handle: async (context, { caller: { business }, params }) => {
    const id = parseId('inv', params.id);
    if (id === undefined) throw new Refusal('not_found', 'The invitation was not found.');
    await withdraw(context, business, id);
    return {};
  },
});

const tokenParams = Type.Object({ token: Type.String({ description: 'From the link in the mail.' }) });

export const readOne = publicEndpoint({
  summary: 'Get an invitation',
  description: 'Its token is the secret of the invited mailbox. No sign-in is needed, so that a page can say who invites before it.',
  params: tokenParams,
  success: {
    status: 200,
    description: 'The invitation.',
    schema: Type.Object(
      {
        business: BusinessSchema,
        invited_by: Type.String({ description: 'The name of the person.' }),
        email: text,
        role,
        expires_at: time,
      },
      closed,
    ),
  },
  errors: ['not_found'],
  handle: async (context, { params }) => {
    const { invitation, business, inviter } = await readInvitation(context, params.token);
    return {
      body: {
        business: businessView(business),
        invited_by: inviter,
        email: invitation.email,
        role: invitation.role,
        expires_at: invitation.expiresAt.toISOString(),
      },
    };
  },
});

export const accept = personEndpoint({
  summary: 'Accept an invitation',
  description: 'Only a person who has proved to hold the invited mailbox can accept.',
  params: tokenParams,
  success: { status: 200, description: 'The business that you are now a member of.', schema: BusinessSchema },
  errors: ['not_found', 'conflict', 'unsupported_media_type', 'json_too_large'],
  handle: async (context, { person, params }) => ({ body: businessView(await acceptInvitation(context, person, params.token)) }),
});

function personIdOf(id: string): string {
  const personId = parseId('usr', id);
  if (personId === undefined) throw new Refusal('not_found', 'The member was not found.');
  return personId;
}

function businessView({ handle, displayName, verifiedDomains, acceptingDrops, receipts, hasAgentCard, createdAt }: Business) {
  return {
    handle,
    display_name: displayName,
    verified_domains: verifiedDomains,
    accepting_drops: acceptingDrops,
    receipts,
    agent_card: hasAgentCard,
    created_at: createdAt.toISOString(),
  };
}

function memberView({ handle }: Business, { personId, name, email, role, segment, joinedAt }: Member) {
  const address = formatAddress(handle, segment);
  return { id: formatId('usr', personId), name, email, role, segment, address, joined_at: joinedAt.toISOString() };
}

function invitationView({ id, email, role, segment, createdAt, expiresAt }: Invitation) {
  const times = { created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() };
  return { id: formatId('inv', id), email, role, segment, ...times };
}
