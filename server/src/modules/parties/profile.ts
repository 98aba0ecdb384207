import { Type } from 'typebox';
import { Refusal } from '../../contract/errors.ts';
import { parseHandle } from '../../contract/names.ts';
import { closed } from '../../contract/paging.ts';
import type { Business } from '../../contract/parties.ts';
import type { PartyDirectory } from './directory.ts';

export const handleFields = { handle: Type.String(), display_name: Type.String() };

export const PublicProfileSchema = Type.Object(
  {
    ...handleFields,
    verified_domains: Type.Array(Type.String(), {
      description: 'Mail domains that the business has verified, in alphabetical order.',
    }),
    accepting_drops: Type.Boolean({ description: 'Whether people without a handle can write to the business.' }),
  },
  { $id: 'PublicProfile', ...closed },
);

export function profileView({ handle, displayName, verifiedDomains, acceptingDrops }: Business) {
  return { handle, display_name: displayName, verified_domains: verifiedDomains, accepting_drops: acceptingDrops };
}

export async function claimedAs(parties: PartyDirectory, text: string): Promise<Business> {
  const handle = parseHandle(text);
  const business = handle === undefined ? undefined : await parties.byHandle(handle);
  if (!business) throw new Refusal('not_found', 'No business has claimed this handle.');
  return business;
}
