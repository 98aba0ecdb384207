import { expect } from 'vitest';
import type { ApiResponse } from './api.ts';

type Reader = { get(path: string): Promise<ApiResponse> };

/** A list with its query. Filters are encoded here. */
function listPath(list: string, filters: Record<string, string | number> = {}): string {
  const query = new URLSearchParams(filters as Record<string, string>).toString();
  return query === '' ? list : `${list}?${query}`;
}

export function list(api: Reader, path: string, filters: Record<string, string | number> = {}): Promise<ApiResponse> {
  return api.get(listPath(path, filters));
}

// biome-ignore lint/suspicious/noExplicitAny: items of every shape
type Page = any[];

/** Follows the cursors to the end, and calls `afterPage` between two pages. */
export async function everyPage(
  api: Reader,
  path: string,
  filters: Record<string, string | number> = {},
  afterPage: () => Promise<unknown> = async () => {},
): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor: string | null | undefined;
  do {
    const response = await list(api, path, cursor ? { ...filters, cursor } : filters);
    expect(response.status, response.text).toBe(200);
    pages.push(response.body.data);
    cursor = response.body.next_cursor;
    if (cursor) await afterPage();
  } while (cursor);
  return pages;
}

export function ids(items: { id: string }[]): string[] {
  return items.map(({ id }) => id);
}
