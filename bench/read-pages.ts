import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceUnderTest } from './service-process.ts';

export interface PageResult {
  name: string;
  medianMs: number;
  ratio: number;
}

export interface Reader {
  id: bigint;
  key: string;
}

interface Page {
  data: unknown[];
  next_cursor: string;
  complete?: boolean;
}

const ROUNDS = 60;
const WALK_ITEMS = 200;
const PAGE_ITEMS = 50;

export async function readPage({ port }: ServiceUnderTest, key: string, path: string): Promise<Page> {
  const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
  if (response.status !== 200) throw new Error(await response.text());
  return (await response.json()) as Page;
}

/** The first page with a filter begins to bring a business into the indexes of filters. */
export async function untilFiltered(service: ServiceUnderTest, { id, key }: Reader, list: '/inbox' | '/threads'): Promise<void> {
  await readPage(service, key, `${list}?type=nothing`);
  const left =
    list === '/inbox'
      ? 'SELECT FROM ledgers WHERE party_id = $1 AND filters_left > 0'
      : `SELECT FROM thread_index WHERE party_id = $1 AND filtered_through < 'ffffffff-ffff-ffff-ffff-ffffffffffff'`;
  while ((await service.sql.query(left, [id])).rows.length > 0) await sleep(200);
}

/** Walks to a page of 50 items, and returns its cursor. */
export async function cursorOfPage(service: ServiceUnderTest, key: string, list: string, number: number): Promise<string> {
  let cursor = '';
  for (let passed = 0; passed < (number - 1) * PAGE_ITEMS; passed += WALK_ITEMS) {
    cursor = (await readPage(service, key, `${list}?limit=${WALK_ITEMS}${cursor && `&cursor=${cursor}`}`)).next_cursor;
  }
  return cursor;
}

export async function medianMs(service: ServiceUnderTest, key: string, path: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await readPage(service, key, path);
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  return times[ROUNDS / 2] as number;
}

/** Measures each page as a multiple of the first page of a small list. */
export async function compare(
  service: ServiceUnderTest,
  baseline: { name: string; key: string; path: string },
  key: string,
  cases: readonly [name: string, path: string][],
): Promise<PageResult[]> {
  const unit = await medianMs(service, baseline.key, baseline.path);
  const results: PageResult[] = [{ name: baseline.name, medianMs: unit, ratio: 1 }];
  for (const [name, path] of cases) {
    const ms = await medianMs(service, key, path);
    results.push({ name, medianMs: ms, ratio: ms / unit });
  }
  return results;
}
