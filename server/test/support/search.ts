import { expect } from 'vitest';
import { beginSearch } from '../../src/modules/search/search-store.ts';
import type { ApiResponse } from './api.ts';
import { everyPage } from './pages.ts';
import { until } from './process.ts';
import type { TestService } from './service.ts';
import { lockingWith } from './sql-locks.ts';
import { untilIndexed } from './threads.ts';

type Reader = { get(path: string): Promise<ApiResponse> };
// biome-ignore lint/suspicious/noExplicitAny: results as they came
export type SearchResult = any;

export async function search(api: Reader, q: string, limit = 50): Promise<SearchResult[]> {
  return (await everyPage(api, '/search', { q, limit })).flat();
}

export async function foundIds(api: Reader, q: string): Promise<string[]> {
  return (await search(api, q)).map(({ message }) => message.id);
}

export function marked({ text, marks }: { text: string; marks: [number, number][] }): string[] {
  return marks.map(([start, end]) => [...text].slice(start, end).join(''));
}

export async function expectFound(api: Reader, q: string, ids: string[]): Promise<void> {
  expect(await foundIds(api, q), q).toEqual(ids);
}

/** Waits until all messages can be found, as if every business had searched before. */
export async function untilSearchable(service: Pick<TestService, 'sql' | 'database'>): Promise<void> {
  await untilIndexed(service);
  const parties = await service.sql<{ party_id: string }>('SELECT party_id FROM thread_index WHERE searched_at IS NULL');
  for (const { party_id } of parties) await beginSearch(service.database.of(BigInt(party_id)), BigInt(party_id));
  await until(async () => (await service.sql('SELECT FROM search_queue')).length === 0);
}

/** Stops the search index until `goOn` is called. */
export async function holdSearchIndex(service: TestService): Promise<{ goOn(): Promise<void> }> {
  const lock = await lockingWith(service, `SELECT pg_advisory_xact_lock(hashtextextended('search index ' || shard_name(), 0))`);
  return { goOn: () => lock.rollBack() };
}
