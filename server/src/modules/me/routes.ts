import { Type } from 'typebox';
import { formatId } from '../../contract/ids.ts';
import { ROLES } from '../../contract/members.ts';
import { formatAddress } from '../../contract/names.ts';
import { closed } from '../../contract/paging.ts';
import type { Caller } from '../../contract/parties.ts';
import type { Quotas } from '../../contract/quotas.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { usageOf } from '../usage/usage.ts';
import { usageFields, usageView } from '../usage/usage-view.ts';

interface MeServices {
  config: { smtpListen: unknown; inboundDomain: string | undefined };
  database: Database;
  quotas: Quotas;
  publicUrl: string;
  inboundDomain: string;
}

const { endpoint } = endpointsFor<MeServices>();

const text = Type.String();
const time = Type.String({ format: 'date-time' });
const nullableText = Type.Union([text, Type.Null()]);

const MeSchema = Type.Object(
  {
    business: Type.Object(
      { handle: text, display_name: text, verified_domains: Type.Array(text), accepting_drops: Type.Boolean(), created_at: time },
      closed,
    ),
    agent: Type.Union([Type.Object({ id: text, name: text, description: nullableText }, closed), Type.Null()], {
      description: 'Null for people.',
    }),
    key: Type.Union(
      [Type.Object({ id: text, scope: Type.Enum(['read', 'read_write']), prefix: text, created_at: time }, closed), Type.Null()],
      {
        description: 'Null for people.',
      },
    ),
    member: Type.Optional(
      Type.Object({ id: text, name: text, role: Type.Enum([...ROLES]) }, { ...closed, description: 'Only for people who have signed in.' }),
    ),
    addresses: Type.Object(
      {
        handle: Type.String({ description: 'The address of the business.' }),
        segment: Type.Union([text, Type.Null()], { description: 'The address of this agent or person; null without a segment.' }),
        email: Type.Union([text, Type.Null()], { description: 'The mail address; null if the service receives no mail.' }),
        drop_page: Type.String({ description: 'The page on which people without a handle write to the business.' }),
      },
      closed,
    ),
    usage: Type.Object(usageFields, closed),
  },
  { $id: 'Me', ...closed },
);

export const show = endpoint({
  summary: 'Get your business, your role in it, its addresses and usage',
  success: { status: 200, description: 'Your business and you.', schema: MeSchema },
  errors: [],
  handle: async ({ config, quotas, database, publicUrl, inboundDomain }, { caller: { business, by } }) => {
    const usage = await usageOf(database.of(business.id), business.id);
    const segment = by.kind === 'key' ? by.agent.segment : by.segment;
    // Another process may listen for mail. INBOUND_DOMAIN says that one does.
    const receivesMail = config.smtpListen !== undefined || config.inboundDomain !== undefined;
    const mailbox = segment === null ? business.handle : `${business.handle}+${segment}`;
    return {
      body: {
        business: {
          handle: business.handle,
          display_name: business.displayName,
          verified_domains: business.verifiedDomains,
          accepting_drops: business.acceptingDrops,
          created_at: business.createdAt.toISOString(),
        },
        ...whoIs(by),
        addresses: {
          handle: business.handle,
          segment: segment === null ? null : formatAddress(business.handle, segment),
          email: receivesMail ? `${mailbox}@${inboundDomain}` : null,
          drop_page: `${publicUrl}/@${business.handle}`,
        },
        usage: usageView(quotas, usage),
      },
    };
  },
});

function whoIs(by: Caller['by']) {
  if (by.kind === 'member')
    return { agent: null, key: null, member: { id: formatId('usr', by.person.id), name: by.person.name, role: by.role } };
  const { agent, key } = by;
  return {
    agent: { id: formatId('agt', agent.id), name: agent.name, description: agent.description },
    key: { id: formatId('key', key.id), scope: key.scope, prefix: key.prefix, created_at: key.createdAt.toISOString() },
  };
}
