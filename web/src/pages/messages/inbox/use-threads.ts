import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { throttled, useThreadChanges } from '../../../api/live.ts';
import { type List, listKeyOf, useList, useReading } from '../../../api/queries.ts';
import { rowOf, type ThreadRow } from '../../../parts/threads/thread-row.ts';
import { filterOf, isBuiltIn, type ListSearch, type ThreadFilter } from '../../../parts/threads/views.ts';
import { isChanging } from '../work/under-way.ts';

const OPERATION = 'GET /v1/threads';
const EVERY_MS = 1_000;

export interface ThreadsOf {
  list: List<ThreadRow>;
  /** Undefined: the saved view is being loaded, or does not exist. */
  filter: ThreadFilter | undefined;
  hasNoView: boolean;
}

/** The threads that the address of the inbox names, the latest activity first, kept up to date. */
export function useThreads(search: ListSearch): ThreadsOf {
  const isSaved = search.view !== undefined && !isBuiltIn(search.view);
  const views = useReading('GET /v1/views', {}, { enabled: isSaved });
  const found = filterOf(search, views.data?.data);
  // Compared as text, so that the object stays the same while the filter does.
  const text = JSON.stringify(found ?? {});
  const query = useMemo(() => JSON.parse(text) as ThreadFilter, [text]);
  const isKnown = found !== undefined;
  const list = useList(OPERATION, { query }, { keep: rowOf, enabled: isKnown });
  useFresh(query, isKnown);
  return { list, filter: found, hasNoView: isSaved && !isKnown && views.data !== undefined };
}

/** Reloads the list when threads change. The more of it is loaded, the less often. */
function useFresh(query: ThreadFilter, isKnown: boolean): void {
  const queries = useQueryClient();
  const reading = useMemo(() => {
    const queryKey = listKeyOf(OPERATION, { query });
    const pages = () => queries.getQueryData<{ pages: unknown[] }>(queryKey)?.pages.length ?? 0;
    const reading = throttled(
      () => {
        // During a change, the service may still return the state before, so this waits.
        if (isChanging()) reading.call();
        else if (pages() > 0) void queries.refetchQueries({ queryKey });
      },
      () => Math.max(1, pages()) * EVERY_MS,
    );
    return reading;
  }, [queries, query]);
  useThreadChanges(reading.call);
  useEffect(() => {
    // Loads the changes since the page was left.
    if (isKnown) reading.call();
    return reading.stop;
  }, [reading, isKnown]);
}
