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
import { call, type InputOf, type Operation, type ResponseOf, type WaybillError } from './client.ts';

/** These responses do not depend on the active business. */
const OF_NO_BUSINESS = /^\w+ \/v1\/(account|sign-in|public|receipts|drops|businesses)\b/;

export function keyOf(operation: Operation, input: object): unknown[] {
  return [OF_NO_BUSINESS.test(operation) ? '' : (activeBusiness() ?? ''), operation, input];
}

export function reading<O extends Operation>(operation: O, input: InputOf<O>) {
  return queryOptions<ResponseOf<O>, WaybillError>({
    queryKey: keyOf(operation, input),
    queryFn: ({ signal }) => call(operation, input, { signal }),
  });
}

export function useReading<O extends Operation>(
  operation: O,
  input: InputOf<O>,
  options: { enabled?: boolean } = {},
): UseQueryResult<ResponseOf<O>, WaybillError> {
  // Renders again when the business changes, because the key does.
  useActiveBusiness();
  return useQuery({ ...reading(operation, input), ...options });
}

type PageOf<O extends Operation> = ResponseOf<O> extends { data: (infer Item)[] } ? Item : never;
type Listing = { [O in Operation]: ResponseOf<O> extends { data: unknown[]; next_cursor: string | null } ? O : never }[Operation];

const PAGE_ITEMS = 100;

export interface List<Item, Page = object> {
  items: Item[];
  last: Omit<Page, 'data'> | undefined;
  isPending: boolean;
  isFetching: boolean;
  error: WaybillError | null;
  hasMore: boolean;
  isFetchingMore: boolean;
  more(): void;
  retry(): void;
}

export function listKeyOf(operation: Operation, input: object): unknown[] {
  return [...keyOf(operation, input), 'list'];
}

/** A list of the API, page by page. keep: the part of each item to hold, if the whole item is too large. */
export function useList<O extends Listing>(
  operation: O,
  input: InputOf<O>,
  options?: { enabled?: boolean },
): List<PageOf<O>, ResponseOf<O>>;
export function useList<O extends Listing, Kept>(
  operation: O,
  input: InputOf<O>,
  options: { keep: (item: PageOf<O>) => Kept; enabled?: boolean },
): List<Kept, ResponseOf<O>>;
export function useList<O extends Listing, Kept>(
  operation: O,
  input: InputOf<O>,
  { keep, enabled = true }: { keep?: (item: PageOf<O>) => Kept; enabled?: boolean } = {},
): List<Kept | PageOf<O>, ResponseOf<O>> {
  type Item = Kept | PageOf<O>;
  type Page = Omit<ResponseOf<O>, 'data'> & { data: Item[]; next_cursor: string | null };
  useActiveBusiness();
  const list = useInfiniteQuery<Page, WaybillError, { items: Item[]; last: Page | undefined }, unknown[], string | undefined>({
    queryKey: listKeyOf(operation, input),
    queryFn: async ({ pageParam, signal }) => {
      const { query = {} } = input as { query?: object };
      const paged = { ...input, query: { ...query, limit: PAGE_ITEMS, cursor: pageParam } };
      const page = (await call(operation, paged, { signal })) as Page & { data: PageOf<O>[] };
      return { ...page, data: keep ? page.data.map(keep) : page.data };
    },
    initialPageParam: undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    select: ({ pages }) => ({ items: pages.flatMap(({ data }) => data), last: pages.at(-1) }),
    enabled,
  });
  return {
    items: list.data?.items ?? [],
    last: list.data?.last,
    isPending: list.isPending,
    isFetching: list.isFetching,
    error: list.error,
    hasMore: list.hasNextPage,
    isFetchingMore: list.isFetchingNextPage,
    more: () => void (list.isFetchingNextPage || list.fetchNextPage()),
    retry: () => void list.refetch(),
  };
}

export function forget(queries: QueryClient, ...operations: Operation[]): Promise<void> {
  return queries.invalidateQueries({ predicate: ({ queryKey }) => operations.some((operation) => operation === queryKey[1]) });
}

/** A mutation. changes: the operations to load again after a success. */
export function useAction<O extends Operation>(
  operation: O,
  { changes = [] }: { changes?: Operation[] } = {},
): UseMutationResult<ResponseOf<O>, WaybillError, InputOf<O>> {
  const queries = useQueryClient();
  return useMutation<ResponseOf<O>, WaybillError, InputOf<O>>({
    mutationFn: (input) => call(operation, input),
    // Pending until the reload is done. The reload may unmount the caller, so follow-up steps belong after mutateAsync, not in the callbacks of
    // mutate.
    onSuccess: () => forget(queries, ...changes),
  });
}
