import { Type } from 'typebox';
import { closed } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { checkDomain, chooseSenders, type DomainServices, listDomains, recordOf, removeDomain, requestDomain } from './domains.ts';
import type { DomainRow } from './store.ts';

const { memberEndpoint } = endpointsFor<DomainServices>();

const SendersSchema = Type.Enum(['everybody', 'members'], {
  description:
    'Who can send for your business from a mailbox of the domain, by mail or on a drop page: everybody with such a mailbox, or members only.',
});

const DomainSchema = Type.Object(
  {
    domain: Type.String(),
    state: Type.Enum(['pending', 'verified', 'failing'], {
      description: 'failing: verified, but the record is missing; after three days without it, you lose the domain.',
    }),
    record: Type.Union([Type.Object({ type: Type.Literal('TXT'), name: Type.String(), value: Type.String() }, closed), Type.Null()], {
      description: 'The TXT record to publish, and to keep, in the DNS of the domain. Null if the operator vouches for the domain.',
    }),
    senders: SendersSchema,
    verified_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    checked_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    missing_since: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Since when the record of a verified domain has been missing; null while it is there.',
    }),
  },
  { $id: 'Domain', ...closed },
);

const params = Type.Object({ domain: Type.String() });

export const list = memberEndpoint({
  summary: 'List the domains of your business',
  success: { status: 200, description: 'All of them.', schema: Type.Object({ data: Type.Array(DomainSchema) }, closed) },
  errors: [],
  handle: async (context, { caller }) => ({ body: { data: (await listDomains(context, caller.business)).map(domainView) } }),
});

export const add = memberEndpoint({
  summary: 'Request a mail domain',
  description: 'The response has the TXT record to publish. The domain is yours once POST /v1/domains/{domain}/check has found the record.',
  body: Type.Object({ domain: Type.String({ minLength: 1, maxLength: 253 }) }, closed),
  success: { status: 201, description: 'The domain, with its record.', schema: DomainSchema },
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'conflict'],
  handle: async (context, { caller, body }) => ({ body: domainView(await requestDomain(context, caller.business, body.domain)) }),
});

export const check = memberEndpoint({
  summary: 'Look up the record of a domain now',
  params,
  success: { status: 200, description: 'The domain: verified if the record was found.', schema: DomainSchema },
  errors: ['not_found', 'conflict'],
  handle: async (context, { caller, params }) => ({ body: domainView(await checkDomain(context, caller.business, params.domain)) }),
});

export const change = memberEndpoint({
  summary: 'Choose who can send from a domain',
  description: 'For a verified domain. Everybody else is refused, with a message that says whom to ask.',
  params,
  body: Type.Object({ senders: SendersSchema }, closed),
  success: { status: 200, description: 'The domain as it is now.', schema: DomainSchema },
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'not_found', 'conflict'],
  handle: async (context, { caller, params, body }) => ({
    body: domainView(await chooseSenders(context, caller.business, params.domain, body.senders)),
  }),
});

export const remove = memberEndpoint({
  summary: 'Give up a domain',
  params,
  success: { status: 204, description: 'It is no longer yours.' },
  errors: ['not_found'],
  handle: async (context, { caller, params }) => {
    await removeDomain(context, caller.business, params.domain);
    return {};
  },
});

function domainView({ domain, token, senders, verified_at, checked_at, missing_since }: DomainRow) {
  return {
    domain,
    state: verified_at === null ? 'pending' : missing_since === null ? 'verified' : 'failing',
    record: token === null ? null : { type: 'TXT', ...recordOf(domain, token) },
    senders,
    verified_at: verified_at?.toISOString() ?? null,
    checked_at: checked_at?.toISOString() ?? null,
    missing_since: (verified_at && missing_since?.toISOString()) ?? null,
  };
}
