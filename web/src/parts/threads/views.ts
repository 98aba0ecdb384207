import type { ResponseOf } from '../../api/client.ts';
import type { View } from '../../api/schema.ts';
import { number } from '../../ui/format.ts';

export type ThreadFilter = View['filter'];

type Counted = keyof ResponseOf<'GET /v1/threads/counts'>;

interface BuiltInView {
  name: string;
  filter: ThreadFilter;
  count: Counted;
}

/** The views that everybody has, with the filters that the service counts by. */
export const BUILT_IN = {
  open: { name: 'Open', filter: { status: 'open', box: 'in' }, count: 'open' },
  mine: { name: 'Mine', filter: { status: 'open', assignee: 'me' }, count: 'mine' },
  unassigned: { name: 'Unassigned', filter: { status: 'open', box: 'in', assignee: 'none' }, count: 'unassigned' },
  failed: { name: 'Needs correction', filter: { status: 'open', failed_schema: true }, count: 'failed_schema' },
  done: { name: 'Done', filter: { status: 'done' }, count: 'done' },
  sent: { name: 'Sent', filter: { box: 'out' }, count: 'sent' },
  all: { name: 'All', filter: {}, count: 'all' },
} as const satisfies Record<string, BuiltInView>;

export type BuiltInName = keyof typeof BUILT_IN;

export const isBuiltIn = (view: string): view is BuiltInName => Object.hasOwn(BUILT_IN, view);

/** The address of the inbox: a view, and filters on top of it. Days are in the browser’s time zone. */
export interface ListSearch {
  /** A built-in view or the id of a saved one. Default: the open threads. */
  view?: string | undefined;
  type?: string | undefined;
  with?: string | undefined;
  label?: string | undefined;
  assignee?: string | undefined;
  segment?: string | undefined;
  unread?: boolean | undefined;
  failed?: boolean | undefined;
  since?: string | undefined;
  until?: string | undefined;
  // Those of the documents are named as in the API.
  document_state?: string | undefined;
  number?: string | undefined;
  due_after?: string | undefined;
  due_before?: string | undefined;
  total_min?: string | undefined;
  total_max?: string | undefined;
  sort?: string | undefined;
  order?: string | undefined;
}

/** The filters by what is known of documents, and the sort. */
const OF_DOCUMENT = ['document_state', 'number', 'due_after', 'due_before', 'total_min', 'total_max', 'sort', 'order'] as const;

export type Narrowing = Omit<ListSearch, 'view'>;

function narrowingOf({ view: _, ...narrowing }: ListSearch): Narrowing {
  return narrowing;
}

export const isNarrowed = (search: ListSearch): boolean => Object.values(narrowingOf(search)).some((value) => value !== undefined);

const text = (value: unknown): string | undefined =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
const flag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

/** An address may hold anything. Old links to the former lists of messages have other names for the same filters. */
export function parseListSearch(search: Record<string, unknown>): ListSearch {
  const isOld = ['from', 'to', 'validation'].some((name) => name in search);
  const verdict = text(search['validation']);
  return {
    view: text(search['view']) ?? (isOld ? 'all' : undefined),
    type: text(search['type']),
    with: text(search['with']) ?? text(search['from']),
    label: text(search['label']),
    assignee: text(search['assignee']),
    segment: text(search['segment']) ?? text(search['to']),
    unread: flag(search['unread']),
    failed: flag(search['failed']) ?? (verdict === undefined ? undefined : verdict === 'failed'),
    since: text(search['since']),
    until: text(search['until']),
    ...Object.fromEntries(OF_DOCUMENT.map((name) => [name, text(search[name])])),
  };
}

/** The filter of the API for an address. Undefined: the saved view is not loaded, or does not exist. */
export function filterOf(search: ListSearch, saved: View[] | undefined): ThreadFilter | undefined {
  const view = search.view ?? 'open';
  const base = isBuiltIn(view) ? BUILT_IN[view].filter : saved?.find(({ id }) => id === view)?.filter;
  if (base === undefined) return undefined;
  const { failed, since, until, ...same } = narrowingOf(search);
  const narrowed = { ...same, failed_schema: failed, since: since && startOf(since, 0), until: until && startOf(until, 1) };
  const given: ThreadFilter = Object.fromEntries(Object.entries(narrowed).filter(([, value]) => value !== undefined));
  return { ...base, ...given };
}

/** Returns the start of a day, or of a later one, as the service requires. */
function startOf(day: string, later: number): string {
  const [year = Number.NaN, month = Number.NaN, date = Number.NaN] = day.split('-').map(Number);
  const time = new Date(year, month - 1, date + later);
  return Number.isNaN(time.getTime()) ? day : time.toISOString();
}

export function countText({ count, capped }: { count: number; capped: boolean }): string {
  return `${number(count)}${capped ? '+' : ''}`;
}
