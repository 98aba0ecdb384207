import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { useArrivals } from '../../api/live.ts';
import { forget, type List, useList } from '../../api/queries.ts';
import type { WebhookMessage } from '../../api/schema.ts';
import { useReloadWhenDue } from './reload-when-due.ts';

const STATISTICS_LATE_MS = 1_000;

export interface LogFilters {
  state?: WebhookMessage['state'];
  message?: string;
  since?: string;
}

export function useDeliveries(id: string, filters: LogFilters): List<WebhookMessage> {
  const queries = useQueryClient();
  const list = useList('GET /v1/webhooks/{id}/messages', { path: { id }, query: filters });
  const refresh = useCallback(() => void forget(queries, 'GET /v1/webhooks/{id}/messages'), [queries]);
  useArrivals(refresh);
  const attempts = list.items.map(({ latest_attempt }) => latest_attempt);
  useReloadWhenDue(attempts, list.isFetching, refresh);

  // Finished attempts change the statistics.
  const finished = attempts.filter(({ status }) => status !== 'pending').length;
  const newest = attempts[0]?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: they change when another attempt has finished
  useEffect(() => {
    if (finished === 0) return;
    const timer = setTimeout(() => void forget(queries, 'GET /v1/webhooks/{id}/statistics'), STATISTICS_LATE_MS);
    return () => clearTimeout(timer);
  }, [queries, finished, newest]);
  return list;
}
