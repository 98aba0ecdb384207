import type { Query, QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';
import { reading } from './queries.ts';

/**
 * Sessions are ended and members removed from elsewhere. Whoever is refused for it is asked about anew, so that the guards
 * of the pages lead to where they can go on: to sign in, to another business, or to claim a handle.
 */
export function watchAccess(queries: QueryClient, guardAnew: () => Promise<void>): void {
  const account = reading('GET /v1/account', {});
  const onRefused = async (error: unknown, query?: Query<unknown, unknown>) => {
    const status = error instanceof ApiError ? error.status : 0;
    // Whoever was not known to be signed in has lost nothing.
    if ((status !== 401 && status !== 403) || queries.getQueryData(account.queryKey) === undefined) return;
    if (query?.queryKey[1] === 'GET /v1/account') {
      queries.removeQueries({ queryKey: account.queryKey, exact: true });
      await guardAnew();
    } else await queries.fetchQuery({ ...account, staleTime: 0 }).then(guardAnew, () => undefined);
  };
  queries.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') void onRefused(event.action.error, event.query);
  });
  queries.getMutationCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') void onRefused(event.action.error);
  });
}
