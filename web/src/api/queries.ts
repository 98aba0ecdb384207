import {
  type QueryClient,
  queryOptions,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { activeBusiness, useActiveBusiness } from './business.ts';
import { type ApiError, call, type InputOf, type Operation, type ResponseOf } from './client.ts';

/** Answers that are the same whatever business somebody acts for. */
const OF_NO_BUSINESS = /^\w+ \/v1\/(account|sign-in|public|receipts|drops|businesses)\b/;

/** Whose answer it is, the operation, and what it was asked. */
export function keyOf(operation: Operation, input: object): unknown[] {
  return [OF_NO_BUSINESS.test(operation) ? '' : (activeBusiness() ?? ''), operation, input];
}

export function reading<O extends Operation>(operation: O, input: InputOf<O>) {
  return queryOptions<ResponseOf<O>, ApiError>({
    queryKey: keyOf(operation, input),
    queryFn: ({ signal }) => call(operation, input, { signal }),
  });
}

export function useReading<O extends Operation>(
  operation: O,
  input: InputOf<O>,
  options: { enabled?: boolean } = {},
): UseQueryResult<ResponseOf<O>, ApiError> {
  // Asks anew when the business changes.
  useActiveBusiness();
  return useQuery({ ...reading(operation, input), ...options });
}

type PageOf<O extends Operation> = ResponseOf<O> extends { data: (infer Item)[] } ? Item : never;
type Listing = { [O in Operation]: ResponseOf<O> extends { data: unknown[]; next_cursor: string | null } ? O : never }[Operation];

const PAGE_ITEMS = 100;

export interface List<Item> {
  items: Item[];
  isPending: boolean;
  isFetching: boolean;
  error: ApiError | null;
  hasMore: boolean;
  isFetchingMore: boolean;
  more(): void;
  retry(): void;
}

/** A list of the API, page after page. keep: what is held of each item, where the whole would be too much. */
export function useList<O extends Listing, Kept = PageOf<O>>(
  operation: O,
  input: InputOf<O>,
  { keep, enabled = true }: { keep?: (item: PageOf<O>) => Kept; enabled?: boolean } = {},
): List<Kept> {
  useActiveBusiness();
  const list = useInfiniteQuery<{ data: Kept[]; next_cursor: string | null }, ApiError, Kept[], unknown[], string | undefined>({
    queryKey: [...keyOf(operation, input), 'list'],
    queryFn: async ({ pageParam, signal }) => {
      const { query = {} } = input as { query?: object };
      const paged = { ...input, query: { ...query, limit: PAGE_ITEMS, cursor: pageParam } } as unknown as InputOf<O>;
      const page = (await call(operation, paged, { signal })) as { data: PageOf<O>[]; next_cursor: string | null };
      return { ...page, data: keep ? page.data.map(keep) : (page.data as unknown as Kept[]) };
    },
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
    enabled,
  });
  return {
    items: list.data ?? [],
    isPending: list.isPending,
    isFetching: list.isFetching,
    error: list.error,
    hasMore: list.hasNextPage,
    isFetchingMore: list.isFetchingNextPage,
    more: () => void (list.isFetchingNextPage || list.fetchNextPage()),
    retry: () => void list.refetch(),
  };
}

/** Forgets what was read of these operations, so that what is shown is read anew. */
export function forget(queries: QueryClient, ...operations: Operation[]): Promise<void> {
  return queries.invalidateQueries({ predicate: ({ queryKey }) => operations.includes(queryKey[1] as Operation) });
}

/** Something that changes the service. changes: what has to be read anew afterwards. */
export function useAction<O extends Operation>(
  operation: O,
  { changes = [] }: { changes?: Operation[] } = {},
): UseMutationResult<ResponseOf<O>, ApiError, InputOf<O>> {
  const queries = useQueryClient();
  return useMutation<ResponseOf<O>, ApiError, InputOf<O>>({
    mutationFn: (input) => call(operation, input),
    // Under way until what is shown is what is true. What has to happen next in any case belongs behind mutateAsync: the new reading may
    // take the part of the page away that asked, and with it what it wanted to do.
    onSuccess: () => forget(queries, ...changes),
  });
}
