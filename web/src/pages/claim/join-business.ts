import { useQueryClient } from '@tanstack/react-query';
import { actFor } from '../../api/business.ts';
import { reading } from '../../api/queries.ts';

export function useJoinBusiness(): (handle: string) => Promise<void> {
  const queries = useQueryClient();
  return async (handle) => {
    // The route guards read the businesses of the account, so it is reloaded first.
    await queries.fetchQuery({ ...reading('GET /v1/account', {}), staleTime: 0 });
    actFor(handle);
  };
}
