import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { use } from 'react';
import { useActiveBusiness } from '../api/business.ts';
import { retried } from '../api/lazy.ts';
import { CATALOGUE } from './catalogue-names.ts';
import type { KnownType } from './known-type.ts';
import { ownNames, ownType, publishedType } from './own-types.ts';

const STALE_MS = 5 * 60_000;
const load = retried(() => import('./catalogue.ts'));
let loading: ReturnType<typeof load> | undefined;

/**
 * The type of a document: one of the active business's own, one of the catalogue, or one that the sender of the document publishes. Suspends while it
 * is loaded. Undefined: nobody has described it.
 */
export function useKnownType(type: string | null, sender?: string): KnownType | undefined {
  const business = useActiveBusiness();
  const name = type ?? '';
  const isOwn = useLoaded(ownNames(), name !== '' && business !== undefined)?.includes(name) === true;
  const own = useLoaded(ownType(name), isOwn);
  const isOfCatalogue = CATALOGUE.includes(name);
  const isForeign = name !== '' && sender !== undefined && sender !== business && !isOwn && !isOfCatalogue;
  const published = useLoaded(publishedType(sender ?? '', name), isForeign);
  if (isOwn && own) return own;
  if (!isOfCatalogue) return published ?? undefined;
  loading ??= load();
  return use(loading).documentType(name);
}

interface Loaded<Data> {
  queryKey: unknown[];
  queryFn(asked: { signal: AbortSignal }): Promise<Data>;
}

function useLoaded<Data>(query: Loaded<Data>, isWanted: boolean): Data | undefined {
  const queries = useQueryClient();
  const { data } = useQuery<Data>({ ...query, staleTime: STALE_MS, enabled: isWanted });
  if (isWanted && data === undefined) use(waitFor(queries, query));
  return isWanted ? data : undefined;
}

/** A component that suspends keeps no state, so what it waits for is kept here. */
const waiting = new Map<string, Promise<void>>();

function waitFor<Data>(queries: QueryClient, query: Loaded<Data>): Promise<void> {
  const key = JSON.stringify(query.queryKey);
  const known = waiting.get(key);
  if (known) return known;
  const end = () => void waiting.delete(key);
  const wait = queries.fetchQuery<Data>({ ...query, staleTime: STALE_MS }).then(end, end);
  waiting.set(key, wait);
  return wait;
}
