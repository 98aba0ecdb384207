import { expect } from 'vitest';
import type { ApiResponse } from './api.ts';
import { everyPage } from './pages.ts';
import { until } from './process.ts';

// biome-ignore lint/suspicious/noExplicitAny: rows as they came
export type ThreadRow = any;
type Reader = { get(path: string): Promise<ApiResponse> };

export async function threadsOf(api: Reader, filters: Record<string, string | number> = {}): Promise<ThreadRow[]> {
  return (await everyPage(api, '/threads', filters)).flat();
}

export async function threadOf(api: Reader, threadId: string): Promise<ThreadRow | undefined> {
  return (await threadsOf(api)).find(({ id }) => id === threadId);
}

/** Waits until a thread is in the list as described. */
export async function expectThread(api: Reader, threadId: string, like: object): Promise<void> {
  await expect.poll(() => threadOf(api, threadId)).toMatchObject(like);
}

/** Waits until the thread index has read everything. */
export function untilIndexed({ sql }: { sql: (text: string) => Promise<unknown[]> }): Promise<void> {
  return until(async () => (await sql('SELECT FROM committed_batches')).length === 0);
}

/** Waits until the documents of all threads have been read. */
export async function untilDocumentsRead(service: { sql: (text: string) => Promise<unknown[]> }): Promise<void> {
  await untilIndexed(service);
  await until(async () => (await service.sql('SELECT FROM document_queue')).length === 0);
}
