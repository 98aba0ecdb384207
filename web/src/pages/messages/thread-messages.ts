import { type InfiniteData, queryOptions, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { membersAt } from '../../../../packages/client/src/json-text.ts';
import { useActiveBusiness } from '../../api/business.ts';
import { call, textOf, type WaybillError } from '../../api/client.ts';
import { useArrivals, useThreadChanges } from '../../api/live.ts';
import type { EnvelopeSummary, Party, ThreadState } from '../../api/schema.ts';
import { isChanging } from './work/under-way.ts';

export type Message = EnvelopeSummary;

export const isReceived = ({ to }: Message, business: string | undefined): boolean =>
  to.party.kind === 'handle' && to.party.handle === business;

export function otherParty({ from, to }: Message, business: string | undefined): Party {
  return from.party.kind === 'handle' && from.party.handle === business ? to.party : from.party;
}

interface FullMessage {
  raw: string;
  /** The JSON as text. ECMAScript numbers would lose digits. Undefined: the message has none. */
  json: string | undefined;
}

export interface ThreadPage {
  messages: Message[];
  hidden: number;
  state: ThreadState;
  cursor: string | null;
}

const PAGE_ITEMS = 100;

/** A delivered message never changes, so it is loaded once. */
export function fullMessage(business: string | undefined, { id, json_sha256 }: Message) {
  return queryOptions<FullMessage, WaybillError>({
    queryKey: ['message', business, id],
    queryFn: async ({ signal }) => {
      const raw = await textOf('GET /v1/messages/{id}', { path: { id } }, { signal });
      return { raw, json: json_sha256 === null ? undefined : raw.slice(...(membersAt(raw, 0).get('json') ?? [0, 0])) };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useFullMessage(message: Message) {
  return useQuery(fullMessage(useActiveBusiness(), message));
}

type Pages = InfiniteData<ThreadPage, string | undefined>;

export async function readPage(id: string, cursor: string | undefined, signal?: AbortSignal): Promise<ThreadPage> {
  const query = { limit: PAGE_ITEMS, include: 'summary' as const, ...(cursor !== undefined && { cursor }) };
  const { data, hidden, state, next_cursor } = await call('GET /v1/threads/{id}', { path: { id }, query }, signal ? { signal } : {});
  return { messages: data as Message[], hidden, state, cursor: next_cursor };
}

export function useThread(id: string) {
  const business = useActiveBusiness();
  const queries = useQueryClient();
  // Not invalidated like other queries: earlier messages never change, so only the last page is loaded again.
  const key = ['thread', business, id];
  const thread = useInfiniteQuery<ThreadPage, WaybillError, Pages, unknown[], string | undefined>({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => readPage(id, pageParam, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });

  const loadNew = useCallback(async () => {
    const key = ['thread', business, id];
    const cursor = queries.getQueryData<Pages>(key)?.pageParams.at(-1);
    const end = await readPage(id, cursor).catch(() => undefined);
    queries.setQueryData<Pages>(key, (known) => {
      if (!end || !known || known.pageParams.at(-1) !== cursor) return known;
      // A change under way is already shown, but the service may not have it yet.
      const state = (isChanging() ? known.pages.at(-1)?.state : undefined) ?? end.state;
      return { ...known, pages: [...known.pages.slice(0, -1), { ...end, state }] };
    });
  }, [queries, business, id]);
  useArrivals(loadNew);
  useThreadChanges(loadNew);
  // Loads messages that arrived while another page was open.
  useEffect(() => {
    if (queries.getQueryData(['thread', business, id])) void loadNew();
  }, [queries, business, id, loadNew]);

  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = thread;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);

  return {
    messages: thread.data?.pages.flatMap(({ messages }) => messages),
    state: thread.data?.pages.at(-1)?.state,
    hidden: thread.data?.pages.at(-1)?.hidden ?? 0,
    isComplete: thread.data !== undefined && !hasNextPage,
    error: thread.error,
    retry: () => void (thread.data ? fetchNextPage() : thread.refetch()),
    loadNew,
  };
}
