import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { useArrivals } from '../../api/live.ts';
import { forget, type List, useList } from '../../api/queries.ts';
import type { Delivery } from '../../api/schema.ts';

const AGAIN_AFTER_MS = 1_000;
/** Clocks differ, and an attempt begins a moment after it is due. */
const LATE_MS = 500;
const TIMER_MAX_MS = 2 ** 31 - 1;

/** The delivery log, read anew as long as something in it is about to change. */
export function useDeliveries(id: string): List<Delivery> {
  const queries = useQueryClient();
  const list = useList('GET /v1/webhooks/{id}/deliveries', { path: { id }, query: {} });
  const { items, isFetching } = list;
  const refresh = useCallback(() => void forget(queries, 'GET /v1/webhooks/{id}/deliveries'), [queries]);
  useArrivals(refresh);

  const dueAt = Math.min(
    ...items.map(({ status, next_attempt_at }) => (status === 'pending' ? Date.parse(next_attempt_at ?? '') : Infinity)),
  );
  useEffect(() => {
    if (isFetching || dueAt === Infinity) return;
    const waitMs = Math.max(AGAIN_AFTER_MS, dueAt + LATE_MS - Date.now());
    const timer = setTimeout(refresh, Math.min(TIMER_MAX_MS, waitMs));
    return () => clearTimeout(timer);
  }, [isFetching, dueAt, refresh]);

  // What has ended counts in the statistics from now on.
  const ended = items.filter(({ status }) => status !== 'pending').length;
  const newest = items[0]?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are what tells that another attempt has ended
  useEffect(() => {
    if (ended === 0) return;
    const timer = setTimeout(() => void forget(queries, 'GET /v1/webhooks/{id}/statistics'), AGAIN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [queries, ended, newest]);
  return list;
}
