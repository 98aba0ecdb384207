import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { type ApiError, textOf } from '../../api/client.ts';
import { useArrivals } from '../../api/live.ts';
import type { Envelope } from '../../api/schema.ts';
import { elementsAt, membersAt } from '../../json/scan.ts';

export interface Message {
  /** As it came. */
  raw: string;
  /** As it was sent; undefined without json. */
  json: string | undefined;
  envelope: Omit<Envelope, 'json'>;
}

interface Page {
  messages: Message[];
  hidden: number;
  cursor: string | null;
}

/** Few, as each may carry a megabyte of JSON. */
const PAGE_ITEMS = 25;

/** JSON in it is never read as ECMAScript reads it, which would lose digits. */
export function pageOf(text: string): Page {
  const fields = membersAt(text, 0);
  const [dataStart] = fields.get('data') ?? [0];
  const rest = <T>(name: string): T => JSON.parse(text.slice(...(fields.get(name) ?? [0, 0]))) as T;
  return {
    messages: elementsAt(text, dataStart).map(([start, end]) => messageOf(text.slice(start, end))),
    hidden: rest('hidden'),
    cursor: rest('next_cursor'),
  };
}

export function messageOf(raw: string): Message {
  const [start, end] = membersAt(raw, 0).get('json') ?? [0, 0];
  const envelope = JSON.parse(`${raw.slice(0, start)}null${raw.slice(end)}`) as Envelope;
  return { raw, json: envelope.json_sha256 === null ? undefined : raw.slice(start, end), envelope };
}

type Pages = InfiniteData<Page, string | undefined>;

async function read(id: string, cursor: string | undefined, signal?: AbortSignal): Promise<Page> {
  const query = { limit: PAGE_ITEMS, ...(cursor !== undefined && { cursor }) };
  return pageOf(await textOf('GET /v1/threads/{id}', { path: { id }, query }, signal ? { signal } : {}));
}

/** All messages of a thread, oldest first, with those that come while it is looked at. */
export function useThread(id: string) {
  const business = useActiveBusiness();
  const queries = useQueryClient();
  // Not forgotten as other readings are: what has come before never changes, so only the end is read anew.
  const key = ['thread', business, id];
  const thread = useInfiniteQuery<Page, ApiError, Pages, unknown[], string | undefined>({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(id, pageParam, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });

  const readEnd = useCallback(async () => {
    const key = ['thread', business, id];
    const cursor = queries.getQueryData<Pages>(key)?.pageParams.at(-1);
    const end = await read(id, cursor).catch(() => undefined);
    queries.setQueryData<Pages>(key, (known) => {
      if (!end || !known || known.pageParams.at(-1) !== cursor) return known;
      return { ...known, pages: [...known.pages.slice(0, -1), end] };
    });
  }, [queries, business, id]);
  useArrivals(readEnd);
  // What has come while other pages were looked at.
  useEffect(() => {
    if (queries.getQueryData(['thread', business, id])) void readEnd();
  }, [queries, business, id, readEnd]);

  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = thread;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);

  return {
    messages: thread.data?.pages.flatMap(({ messages }) => messages),
    hidden: thread.data?.pages.at(-1)?.hidden ?? 0,
    isWhole: thread.data !== undefined && !hasNextPage,
    error: thread.error,
    retry: () => void (thread.data ? fetchNextPage() : thread.refetch()),
    readEnd,
  };
}
