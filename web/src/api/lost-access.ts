import type { Query, QueryClient } from '@tanstack/react-query';
import { WaybillError } from './client.ts';
import { reading } from './queries.ts';

/**
 * Sessions can end and members can be removed from elsewhere. After a 401 or 403 the account is loaded again, so that the route guards redirect: to
 * the sign-in page, to another business, or to claim a handle.
 */
export function watchAccess(queries: QueryClient, runGuards: () => Promise<void>): void {
  const account = reading('GET /v1/account', {});
  const onError = async (error: unknown, query?: Query<unknown, unknown>) => {
    const status = error instanceof WaybillError ? error.status : 0;
    // A visitor who was not signed in has lost nothing.
    if ((status !== 401 && status !== 403) || queries.getQueryData(account.queryKey) === undefined) return;
    if (query?.queryKey[1] === 'GET /v1/account') {
      queries.removeQueries({ queryKey: account.queryKey, exact: true });
      await runGuards();
    } else await queries.fetchQuery({ ...account, staleTime: 0 }).then(runGuards, () => undefined);
  };
  queries.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') void onError(event.action.error, event.query);
  });
  queries.getMutationCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') void onError(event.action.error);
  });
}
