import { Outlet, useMatch, useNavigate, useRouter } from '@tanstack/react-router';
import { createContext, lazy, type RefObject, Suspense, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { retried } from '../../../api/lazy.ts';
import { isLastListBehind, lastList, useShownList } from '../../../parts/threads/shown-list.ts';
import { newestOf, type ThreadRow } from '../../../parts/threads/thread-row.ts';
import { type Command, useCommands } from '../../../ui/commands.ts';
import { number } from '../../../ui/format.ts';
import { useIsSplit } from '../../../ui/media.ts';
import { useShortcuts } from '../../../ui/shortcuts.ts';
import { useWork, type Verb, type Work } from '../work/use-work.ts';
import { ListPane } from './list-pane.tsx';
import type { RowsHandle } from './thread-rows.tsx';
import { useThreads } from './use-threads.ts';

const WorkPicker = lazy(retried(async () => ({ default: (await import('../work/pickers.tsx')).WorkPicker })));

interface MailboxContext {
  work: Work;
  goBack(): void;
}

const Mailbox = createContext<MailboxContext | undefined>(undefined);

export function useMailbox(): MailboxContext {
  const mailbox = useContext(Mailbox);
  if (!mailbox) throw new Error('A thread is shown in a mailbox.');
  return mailbox;
}

function useGoBack(): () => void {
  const navigate = useNavigate();
  const { history } = useRouter();
  return useCallback(() => {
    if (isLastListBehind()) history.back();
    else void navigate({ to: '/inbox', search: lastList() });
  }, [navigate, history]);
}

/**
 * The list and a thread: side by side in a wide window, otherwise one of them. The list stays mounted, so that it keeps its scroll
 * position.
 */
export function MailboxPage() {
  const search = useShownList();
  const openId = useMatch({ from: '/app/mailbox/threads/$id', shouldThrow: false })?.params.id;
  const isSplit = useIsSplit();
  const navigate = useNavigate();
  const threads = useThreads(search);
  const rows = threads.list.items;
  const goBack = useGoBack();
  const { selected, select, selectAll } = useSelection(rows);

  const toThread = useCallback(
    (row: ThreadRow) => void navigate({ to: '/threads/$id', params: { id: row.id }, hash: newestOf(row), replace: true }),
    [navigate],
  );
  const latest = useRef({ rows, openId, isSplit });
  useEffect(() => {
    latest.current = { rows, openId, isSplit };
  });
  // Beside the list, the next thread is opened after one is finished.
  const onLeft = useCallback(
    (ids: readonly string[], verb: 'done' | 'unread') => {
      selectAll([]);
      const { rows, openId, isSplit } = latest.current;
      if (openId === undefined || !ids.includes(openId)) return;
      const at = rows.findIndex(({ id }) => id === openId);
      const next = rows.slice(at + 1).find(({ id }) => !ids.includes(id));
      if (verb === 'done' && isSplit && at >= 0 && next) toThread(next);
      else goBack();
    },
    [selectAll, toThread, goBack],
  );
  const work = useWork(selected, onLeft);
  const [cursor, setCursor] = useState<string>();
  const list = useRef<RowsHandle>(null);
  useReturn(openId, list);
  useNextRow(rows, openId === undefined ? cursor : undefined, list);

  useShortcuts(useWorkKeys({ rows, openId, cursor, selected, work, list, toThread, select, selectAll }));
  useCommands(useThreadCommands({ openId, cursor, selected, work }));
  const context = useMemo(() => ({ work, goBack }), [work, goBack]);
  return (
    <Mailbox value={context}>
      <ListPane
        handle={list}
        search={search}
        threads={threads}
        openId={openId}
        onCursor={setCursor}
        selected={selected}
        onSelect={select}
        onSelectAll={selectAll}
        work={work}
      />
      {openId === undefined ? null : (
        <div className="xl:pl-104 2xl:pl-120 print:pl-0">
          <div className="mx-auto max-w-4xl px-4 py-4 sm:px-8 lg:py-6">
            <Outlet />
          </div>
        </div>
      )}
      {work.picking ? (
        <Suspense fallback={null}>
          <WorkPicker picking={work.picking} work={work} />
        </Suspense>
      ) : null}
    </Mailbox>
  );
}

function useReturn(openId: string | undefined, list: RefObject<RowsHandle | null>): void {
  const last = useRef(openId);
  useEffect(() => {
    if (openId === undefined && last.current !== undefined) list.current?.focus(last.current);
    last.current = openId;
  }, [openId, list]);
}

/** When the focused row leaves the list, the one in its place gets the focus. */
function useNextRow(rows: ThreadRow[], cursor: string | undefined, list: RefObject<RowsHandle | null>): void {
  const place = useRef(-1);
  useEffect(() => {
    if (cursor === undefined) return;
    const at = rows.findIndex(({ id }) => id === cursor);
    const next = rows[Math.min(place.current, rows.length - 1)];
    if (at >= 0) place.current = at;
    else if (next && document.activeElement === document.body) list.current?.focus(next.id);
  }, [rows, cursor, list]);
}

function useSelection(rows: ThreadRow[]) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const from = useRef<string>(undefined);
  const latest = useRef(rows);
  useEffect(() => {
    latest.current = rows;
  });
  // Threads that have left the list are not selected any more.
  const selected = useMemo(() => new Set(rows.flatMap(({ id }) => (ticked.has(id) ? [id] : []))), [rows, ticked]);
  const select = useCallback((id: string, isRange: boolean) => {
    const ids = latest.current.map((row) => row.id);
    const start = isRange ? ids.indexOf(from.current ?? '') : -1;
    const at = ids.indexOf(id);
    from.current = id;
    setTicked((known) => {
      if (start >= 0) return new Set([...known, ...ids.slice(Math.min(start, at), Math.max(start, at) + 1)]);
      const next = new Set(known);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  const selectAll = useCallback((ids: readonly string[]) => setTicked(new Set(ids)), []);
  return { selected, select, selectAll };
}

function useThreadCommands({ openId, cursor, selected, work }: Pick<KeysOptions, 'openId' | 'cursor' | 'selected' | 'work'>): Command[] {
  return useMemo(() => {
    const current = openId ?? cursor;
    const ids = selected.size > 0 ? [...selected] : current === undefined ? [] : [current];
    if (ids.length === 0) return [];
    const verbs: [Verb, string?][] = [
      ['done', 'e'],
      ['assign', 'a'],
      ['label', 'l'],
      ['unread', 'U'],
    ];
    if (selected.size > 0) verbs.push(['accept']);
    const of = ids.length > 1 ? `: ${number(ids.length)} threads` : '';
    return verbs.map(([verb, keys]) => ({
      // A getter, because threads change until the palette shows it.
      get name() {
        return `${work.nameOf(verb, ids)}${of}`;
      },
      ...(keys !== undefined && { keys }),
      run: () => work.actOn(verb, ids),
    }));
  }, [openId, cursor, selected, work]);
}

interface KeysOptions {
  rows: ThreadRow[];
  openId: string | undefined;
  cursor: string | undefined;
  selected: ReadonlySet<string>;
  work: Work;
  list: RefObject<RowsHandle | null>;
  toThread(row: ThreadRow): void;
  select(id: string, isRange: boolean): void;
  selectAll(ids: readonly string[]): void;
}

/** Keys apply to the selection, else to the open thread, else to the focused row. */
function useWorkKeys({ rows, openId, cursor, selected, work, list, toThread, select, selectAll }: KeysOptions) {
  return useMemo(() => {
    const current = openId ?? cursor;
    const on = (verb: Verb) => () => work.actOn(verb, selected.size > 0 ? [...selected] : current === undefined ? [] : [current]);
    const move = (by: number) => () => {
      const at = rows.findIndex(({ id }) => id === current);
      const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
      if (!next) return;
      // Beside an open thread, the focus follows if it is in the list.
      if (openId === undefined || document.activeElement?.closest('[data-thread]')) list.current?.focus(next.id);
      if (openId !== undefined) toThread(next);
    };
    return {
      j: move(1),
      k: move(-1),
      e: on('done'),
      a: on('assign'),
      l: on('label'),
      U: on('unread'),
      ...(openId === undefined && { u: on('unread') }),
      x: () => {
        if (current !== undefined) select(current, false);
      },
      ...(selected.size > 0 && { Escape: () => selectAll([]) }),
    };
  }, [rows, openId, cursor, selected, work, list, toThread, select, selectAll]);
}
