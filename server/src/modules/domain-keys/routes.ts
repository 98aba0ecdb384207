import { Type } from 'typebox';
import { closed } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { checkDomainKeys, type DomainKeyServices, type KeyFile, readDomainKeys } from './domain-keys.ts';
import { keyFileUrl } from './key-file.ts';

const { memberEndpoint } = endpointsFor<DomainKeyServices>();

const time = Type.String({ format: 'date-time' });

const DomainKeysSchema = Type.Object(
  {
    domain: Type.String(),
    url: Type.String({ description: 'The file that the domain publishes: `{"handles": {"<your handle>": ["<public key>", …]}}`.' }),
    keys: Type.Array(Type.String(), { description: 'The public keys in base64 that the domain vouches for, as the log has it.' }),
    since: Type.Union([time, Type.Null()], { description: 'Since when it has been these keys; null if there are none.' }),
    checked_at: Type.Union([time, Type.Null()], {
      description: 'When the file was last fetched. Null: not yet, or no longer, because it was missing for 7 days.',
    }),
    missing_since: Type.Union([time, Type.Null()], {
      description: 'Since when no valid file has been found. After 7 days the domain vouches for no key any more.',
    }),
    problem: Type.Union([Type.String(), Type.Null()], { description: 'What is wrong with the file, or why it could not be fetched.' }),
  },
  { $id: 'DomainKeys', ...closed },
);

const params = Type.Object({ domain: Type.String({ description: 'A verified domain of your business.' }) });

export const read = memberEndpoint({
  summary: 'Read which signing keys a domain vouches for',
  params,
  success: { status: 200, description: 'The keys, and the state of the file.', schema: DomainKeysSchema },
  errors: ['not_found'],
  handle: async ({ database }, { caller, params }) => ({
    body: domainKeysView(await readDomainKeys(database, caller.business, params.domain)),
  }),
});

export const check = memberEndpoint({
  summary: 'Fetch the signing keys that a domain vouches for',
  description:
    'Fetches `https://<domain>/.well-known/waybill-keys.json` now, and from then on each day. When the keys of your handle in it have changed, the log gets a statement of that. Others can then see that the domain vouches for a key of your agents.',
  params,
  success: { status: 200, description: 'The keys after the fetch. `problem` says what is wrong with the file.', schema: DomainKeysSchema },
  errors: ['not_found', 'conflict'],
  handle: async (context, { caller, params }) => ({
    body: domainKeysView(await checkDomainKeys(context, caller.business, params.domain)),
  }),
});

function domainKeysView({ domain, file }: { domain: string; file?: KeyFile }) {
  return {
    domain,
    url: keyFileUrl(domain),
    keys: file?.holds?.keys ?? [],
    since: file?.holds?.at.toISOString() ?? null,
    checked_at: file?.checkedAt?.toISOString() ?? null,
    missing_since: file?.missingSince?.toISOString() ?? null,
    problem: file?.problem ?? null,
  };
}
