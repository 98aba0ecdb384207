import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { call } from '../../api/client.ts';
import { useArrivals } from '../../api/live.ts';
import { keyOf, type List, useList } from '../../api/queries.ts';
import type { Envelope, Party } from '../../api/schema.ts';
import { type Filters, timesOf } from './filters.ts';

export type Mailbox = 'inbox' | 'outbox';

/** What a row shows. The rest, json above all, would fill the memory of whoever scrolls far. */
export interface Summary {
  id: string;
  threadId: string;
  party: Party;
  actor: string;
  type: string | null;
  subject: string | null;
  note: string;
  files: number;
  hasJson: boolean;
  verdict: Envelope['validation']['status'];
  at: string;
}

const NOTE_CHARS = 160;
const TOP_ITEMS = 50;

const summaryFor =
  (mailbox: Mailbox) =>
  ({ id, thread_id, from, to, type, subject, note, files, json_sha256, validation, received_at }: Envelope): Summary => ({
    id,
    threadId: thread_id,
    party: mailbox === 'inbox' ? from.party : to.party,
    actor: from.actor.name,
    type,
    subject,
    note: note?.slice(0, NOTE_CHARS) ?? '',
    files: files.length,
    hasJson: json_sha256 !== null,
    verdict: validation.status,
    at: received_at,
  });

type Pages = InfiniteData<{ data: Summary[]; next_cursor: string | null }, string | undefined>;

/** The messages of a mailbox, newest first, with those on top that come while it is looked at. */
export function useMessages(mailbox: Mailbox, filters: Filters): List<Summary> {
  const queries = useQueryClient();
  const operation = mailbox === 'inbox' ? 'GET /v1/inbox' : 'GET /v1/outbox';
  // In words of its own, so that it is the same object as long as it says the same.
  const words = JSON.stringify({ ...filters, ...timesOf(filters) });
  const query = useMemo(() => JSON.parse(words) as Filters, [words]);
  const keep = useMemo(() => summaryFor(mailbox), [mailbox]);
  const list = useList(operation, { query }, { keep });

  const refreshTop = useCallback(async () => {
    const key = [...keyOf(operation, { query }), 'list'];
    if (!queries.getQueryData(key)) return;
    const top = await call(operation, { query: { ...query, limit: TOP_ITEMS } });
    queries.setQueryData<Pages>(key, (known) => known && withNewOnTop(known, top.data.map(keep)));
  }, [queries, operation, query, keep]);
  const throttled = useThrottled(refreshTop);
  useArrivals(throttled);
  return list;
}

function withNewOnTop(known: Pages, top: Summary[]): Pages | undefined {
  const [first, ...rest] = known.pages;
  if (!first) return known;
  const ids = new Set(known.pages.flatMap(({ data }) => data.map(({ id }) => id)));
  const fresh = top.filter(({ id }) => !ids.has(id));
  if (fresh.length === 0) return known;
  // More have come than were asked for: a gap would open, so all is read anew.
  if (fresh.length === top.length && ids.size > 0) return undefined;
  return { ...known, pages: [{ ...first, data: [...fresh, ...first.data] }, ...rest] };
}

const EVERY_MS = 1_000;

/** At most once a second, and once more after the last call. */
function useThrottled(run: () => Promise<void>): () => void {
  const latest = useRef(run);
  latest.current = run;
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
