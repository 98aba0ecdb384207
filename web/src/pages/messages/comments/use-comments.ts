import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useActiveBusiness } from '../../../api/business.ts';
import { call, type WaybillError } from '../../../api/client.ts';
import { useThreadChanges } from '../../../api/live.ts';
import { forget, keyOf } from '../../../api/queries.ts';
import type { Comment } from '../../../api/schema.ts';

const OPERATION = 'GET /v1/threads/{id}/comments';
const PAGE_ITEMS = 200;
const NONE: Comment[] = [];

/** All comments on a thread, oldest first. A thread has a thousand at most. */
export function useComments(id: string): Comment[] {
  const queries = useQueryClient();
  useActiveBusiness();
  const { data } = useQuery<Comment[], WaybillError>({
    queryKey: [...keyOf(OPERATION, { path: { id } }), 'all'],
    queryFn: ({ signal }) => readAll(id, signal),
  });
  useThreadChanges(useCallback(() => void forget(queries, OPERATION), [queries]));
  return data ?? NONE;
}

async function readAll(id: string, signal: AbortSignal): Promise<Comment[]> {
  const comments: Comment[] = [];
  let cursor: string | undefined;
  do {
    const page = await call(OPERATION, { path: { id }, query: { limit: PAGE_ITEMS, cursor } }, { signal });
    comments.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return comments;
}
