import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { call } from '../../api/client.ts';
import { useArrivals } from '../../api/live.ts';
import { type List, listKeyOf, useList } from '../../api/queries.ts';
import type { Actor, EnvelopeSummary, Party } from '../../api/schema.ts';
import { type Filters, timesOf } from './filters.ts';

export type Mailbox = 'inbox' | 'outbox';

/** What a row shows. Whole messages would fill the memory in a long list. */
export interface Summary {
  id: string;
  threadId: string;
  party: Party;
  actor: Actor;
  type: string | null;
  subject: string | null;
  note: string;
  files: number;
  hasJson: boolean;
  verdict: EnvelopeSummary['validation']['status'];
  at: string;
}

/** What a summary and a full message have in common. */
type Listed = Omit<EnvelopeSummary, 'json_bytes'>;

const NOTE_CHARS = 160;
const TOP_ITEMS = 50;
const TOP_PAGES_MAX = 10;

const summaryFor =
  (mailbox: Mailbox) =>
  ({ id, thread_id, from, to, type, subject, note, files, json_sha256, validation, received_at }: Listed): Summary => ({
    id,
    threadId: thread_id,
    party: mailbox === 'inbox' ? from.party : to.party,
    actor: from.actor,
    type,
    subject,
    note: note?.slice(0, NOTE_CHARS) ?? '',
    files: files.length,
    hasJson: json_sha256 !== null,
    verdict: validation.status,
    at: received_at,
  });

type Pages = InfiniteData<{ data: Summary[]; next_cursor: string | null }, string | undefined>;

/** The messages of a mailbox, newest first. New ones are added on top as they arrive. */
export function useMessages(mailbox: Mailbox, filters: Filters): List<Summary> {
  const queries = useQueryClient();
  const operation = mailbox === 'inbox' ? 'GET /v1/inbox' : 'GET /v1/outbox';
  // By its text, so that the object stays the same while the filters do.
  const text = JSON.stringify({ ...filters, ...timesOf(filters), include: 'summary' });
  const query = useMemo(() => JSON.parse(text) as Filters & { include: 'summary' }, [text]);
  const keep = useMemo(() => summaryFor(mailbox), [mailbox]);
  const list = useList(operation, { query }, { keep });

  const loadNewer = useCallback(async () => {
    const key = listKeyOf(operation, { query });
    // A load that began before the message arrived would replace what is added here.
    await queries
      .getQueryCache()
      .find({ queryKey: key })
      ?.promise?.catch(() => {});
    const known = queries.getQueryData<Pages>(key);
    if (!known) return;
    const fresh = await newerThan(known, async (cursor) => call(operation, { query: { ...query, limit: TOP_ITEMS, cursor } }));
    if (!fresh) await queries.resetQueries({ queryKey: key });
    else queries.setQueryData<Pages>(key, (known) => known && withNewOnTop(known, fresh.map(keep)));
  }, [queries, operation, query, keep]);
  const throttled = useThrottled(loadNewer);
  useArrivals(throttled);
  // Messages that arrived while another page was open.
  useEffect(() => {
    if (queries.getQueryData(listKeyOf(operation, { query }))) loadNewer().catch(() => {});
  }, [queries, operation, query, loadNewer]);
  return list;
}

/** The messages that are newer than the loaded ones; undefined when there are so many that a reload is cheaper. */
async function newerThan(
  known: Pages,
  read: (cursor: string | undefined) => Promise<{ data: Listed[]; next_cursor: string | null }>,
): Promise<Listed[] | undefined> {
  const ids = idsOf(known);
  const newer: Listed[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < TOP_PAGES_MAX; pages++) {
    const { data, next_cursor } = await read(cursor);
    newer.push(...data);
    if (next_cursor === null || data.some(({ id }) => ids.has(id))) return newer;
    cursor = next_cursor;
  }
  return undefined;
}

function withNewOnTop(known: Pages, newer: Summary[]): Pages {
  const [first, ...rest] = known.pages;
  const ids = idsOf(known);
  const fresh = newer.filter(({ id }) => !ids.has(id));
  if (!first || fresh.length === 0) return known;
  return { ...known, pages: [{ ...first, data: [...fresh, ...first.data] }, ...rest] };
}

const idsOf = ({ pages }: Pages): Set<string> => new Set(pages.flatMap(({ data }) => data.map(({ id }) => id)));

const EVERY_MS = 1_000;

/** Runs at most once a second, and once more after the last call. */
function useThrottled(run: () => Promise<void>): () => void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  }, [run]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lastAt = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => {
        lastAt.current = Date.now();
        latest.current().catch(() => {});
      },
      Math.max(0, lastAt.current + EVERY_MS - Date.now()),
    );
  }, []);
}
