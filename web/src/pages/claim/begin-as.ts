import { useQueryClient } from '@tanstack/react-query';
import { actFor } from '../../api/business.ts';
import { reading } from '../../api/queries.ts';

/** Acts for a business that somebody has come to belong to just now. */
export function useBeginAs(): (handle: string) => Promise<void> {
  const queries = useQueryClient();
  return async (handle) => {
    // The pages ask it which business to act for, so it has to know this one first.
    await queries.fetchQuery({ ...reading('GET /v1/account', {}), staleTime: 0 });
    actFor(handle);
  };
}
