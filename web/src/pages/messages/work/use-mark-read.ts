import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../../../api/client.ts';
import { forgetCounts } from '../../../api/live.ts';
import { applied } from './decisions.ts';
import { readAgain, showChanged, stopReading } from './thread-cache.ts';
import { isChanging, whileChanging } from './under-way.ts';

export function useMarkRead(id: string, unread: number): void {
  const queries = useQueryClient();
  useEffect(() => {
    // If the thread was just marked as unread, it is being closed.
    if (unread === 0 || isChanging()) return;
    // After a failure, the thread is unread when it is opened again.
    void markRead(queries, id).catch(() => undefined);
  }, [queries, id, unread]);
}

async function markRead(queries: QueryClient, id: string): Promise<void> {
  const { wasReading } = await whileChanging(async () => {
    const stopped = await stopReading(queries);
    showChanged(queries, new Set([id]), (known) => applied(known, { unread: false }), undefined);
    await call('POST /v1/threads/{id}/read', { path: { id }, body: {} });
    return stopped;
  });
  if (wasReading) void readAgain(queries);
  forgetCounts(queries);
}
