import { useActiveBusiness } from './business.ts';
import { useReading } from './queries.ts';
import type { Account } from './schema.ts';

export type Role = Account['businesses'][number]['role'];

/** The role in the active business. Undefined: the account is not loaded yet. */
export function useRole(): { role: Role | undefined; isAdmin: boolean; isOwner: boolean } {
  const active = useActiveBusiness();
  const { data: account } = useReading('GET /v1/account', {});
  const role = account?.businesses.find(({ handle }) => handle === active)?.role;
  return { role, isAdmin: role === 'owner' || role === 'admin', isOwner: role === 'owner' };
}
