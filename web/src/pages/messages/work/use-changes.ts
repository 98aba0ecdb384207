import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { call, WaybillError } from '../../../api/client.ts';
import { forgetCounts } from '../../../api/live.ts';
import { forget, useReading } from '../../../api/queries.ts';
import { say } from '../../../ui/toast.tsx';
import { applied, bodyOf, type Change, inverseOf } from './decisions.ts';
import { decisionsOf, readAgain, showChanged, stopReading } from './thread-cache.ts';
import { whileChanging } from './under-way.ts';

/** The service changes at most this many threads at once. */
const IDS_MAX = 500;

/** Changes threads on the page at once, then at the service. The toast offers an undo. */
export function useChanges(): (ids: readonly string[], change: Change, done?: string) => Promise<void> {
  const queries = useQueryClient();
  const { data: account } = useReading('GET /v1/account', {});
  const me = account?.id;
  return useCallback(
    async (ids, change, done) => {
      const undo = undoOf(queries, ids, change);
      if ((await make(queries, [{ ids, change }], me)) && done !== undefined)
        say(done, undo.length === 0 ? undefined : { label: 'Undo', run: () => void make(queries, undo, me) });
    },
    [queries, me],
  );
}

interface Step {
  ids: readonly string[];
  change: Change;
}

function undoOf(queries: QueryClient, ids: readonly string[], change: Change): Step[] {
  const inverses = ids.flatMap((id) => {
    const known = decisionsOf(queries, id);
    const inverse = known && inverseOf(known, change);
    return inverse && Object.keys(inverse).length > 0 ? [{ id, inverse, text: JSON.stringify(inverse) }] : [];
  });
  return [...Map.groupBy(inverses, ({ text }) => text).values()].flatMap((alike) => {
    const [first] = alike;
    return first ? [{ ids: alike.map(({ id }) => id), change: first.inverse }] : [];
  });
}

async function make(queries: QueryClient, steps: readonly Step[], me: string | undefined): Promise<boolean> {
  try {
    await whileChanging(async () => {
      await stopReading(queries);
      for (const { ids, change } of steps) showChanged(queries, new Set(ids), (known) => applied(known, change), me);
      for (const { ids, change } of steps)
        for (let from = 0; from < ids.length; from += IDS_MAX)
          await call('POST /v1/threads/batch', { body: { ids: ids.slice(from, from + IDS_MAX), ...bodyOf(change) } });
    });
    return true;
  } catch (error) {
    if (!(error instanceof WaybillError)) throw error;
    say(error.message);
    return false;
  } finally {
    void readAgain(queries);
    forgetCounts(queries);
    if (steps.some(({ change }) => change.addLabels ?? change.removeLabels)) void forget(queries, 'GET /v1/threads/labels');
  }
}
