import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { activeBusiness } from '../../../api/business.ts';
import type { Decisions, ThreadRow } from '../../../parts/threads/thread-row.ts';
import type { ThreadFilter } from '../../../parts/threads/views.ts';
import type { ThreadPage } from '../thread-messages.ts';
import { isStillIn } from './decisions.ts';

type Rows = InfiniteData<{ data: ThreadRow[]; next_cursor: string | null }>;
type Thread = InfiniteData<ThreadPage>;

const LISTS = { predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[1] === 'GET /v1/threads' };

const threadKey = (id: string): unknown[] => ['thread', activeBusiness(), id];

export function decisionsOf(queries: QueryClient, id: string): Decisions | undefined {
  for (const [, rows] of queries.getQueriesData<Rows>(LISTS)) {
    const row = rows?.pages.flatMap(({ data }) => data).find((one) => one.id === id);
    if (row) return row;
  }
  return queries.getQueryData<Thread>(threadKey(id))?.pages.at(-1)?.state;
}

/** Shows a change in all lists and threads of the page, before the service has it. */
export function showChanged(
  queries: QueryClient,
  ids: ReadonlySet<string>,
  change: <Known extends Decisions>(known: Known) => Known,
  me: string | undefined,
): void {
  for (const query of queries.getQueryCache().findAll(LISTS)) {
    const { query: filter = {} } = query.queryKey[2] as { query?: ThreadFilter };
    queries.setQueryData<Rows>(query.queryKey, (rows) => {
      if (!rows) return rows;
      const changed = (row: ThreadRow) => {
        if (!ids.has(row.id)) return [row];
        const next = change(row);
        return isStillIn(filter, next, me) || !isStillIn(filter, row, me) ? [next] : [];
      };
      return { ...rows, pages: rows.pages.map((page) => ({ ...page, data: page.data.flatMap(changed) })) };
    });
  }
  for (const id of ids)
    queries.setQueryData<Thread>(threadKey(id), (thread) => {
      if (!thread) return thread;
      return { ...thread, pages: thread.pages.map((page) => ({ ...page, state: change(page.state) })) };
    });
}

/** Cancels reads that began before a change, because they would undo it on the page. */
export async function stopReading(queries: QueryClient): Promise<{ wasReading: boolean }> {
  const wasReading = queries.isFetching(LISTS) > 0;
  await queries.cancelQueries(LISTS);
  return { wasReading };
}

export function readAgain(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries(LISTS);
}
