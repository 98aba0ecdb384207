import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { useArrivals } from '../../api/live.ts';
import { forget, type List, useList } from '../../api/queries.ts';
import type { Delivery } from '../../api/schema.ts';

const RELOAD_MS = 1_000;
/** Clocks differ, and an attempt starts a moment after it is due. */
const LATE_MS = 500;
const TIMER_MAX_MS = 2 ** 31 - 1;

/** The delivery log, reloaded while attempts in it are pending. */
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
    const waitMs = Math.max(RELOAD_MS, dueAt + LATE_MS - Date.now());
    const timer = setTimeout(refresh, Math.min(TIMER_MAX_MS, waitMs));
    return () => clearTimeout(timer);
  }, [isFetching, dueAt, refresh]);

  // Finished attempts change the statistics.
  const finished = items.filter(({ status }) => status !== 'pending').length;
  const newest = items[0]?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: they change when another attempt has finished
  useEffect(() => {
    if (finished === 0) return;
    const timer = setTimeout(() => void forget(queries, 'GET /v1/webhooks/{id}/statistics'), RELOAD_MS);
    return () => clearTimeout(timer);
  }, [queries, finished, newest]);
  return list;
}
