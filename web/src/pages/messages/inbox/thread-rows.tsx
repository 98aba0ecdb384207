import { ArrowUp } from 'lucide-react';
import { type Ref, useCallback, useEffect, useEffectEvent, useImperativeHandle, useMemo, useState } from 'react';
import type { List } from '../../../api/queries.ts';
import type { ThreadRow } from '../../../parts/threads/thread-row.ts';
import { Button } from '../../../ui/button.tsx';
import { number } from '../../../ui/format.ts';
import { useNow } from '../../../ui/now.ts';
import { useScrolledList } from '../../../ui/scrolled-list.ts';
import { useNonMembers } from '../non-members.ts';
import type { Work } from '../work/use-work.ts';
import { type Line, linesOf } from './day-groups.ts';
import { ThreadRowView } from './thread-row.tsx';

export interface RowsHandle {
  focus(id: string): void;
}

export interface ThreadRowsProps {
  handle: Ref<RowsHandle>;
  list: List<ThreadRow>;
  isCompact: boolean;
  /** Marks messages sent for the business by people who are not its members. */
  isOfSent: boolean;
  openId: string | undefined;
  selected: ReadonlySet<string>;
  onCursor(id: string): void;
  onSelect(id: string, isRange: boolean): void;
  work: Work;
}

const ROW_PX = { wide: 44, compact: 54 };
const DAY_PX = 36;
const DRAWN_MS = 60;
const HOUR_MS = 3_600_000;
/** At most this many rows are loaded to find the open thread, which may be in another list. */
const LOOKED_AT_MAX = 300;

const keyOf = (line: Line): string => (line.kind === 'day' ? line.name : line.row.id);

export function ThreadRows({ handle, list, isCompact, isOfSent, openId, selected, onCursor, onSelect, work }: ThreadRowsProps) {
  // Days and clocks change at full hours at most.
  const hour = Math.floor(useNow() / HOUR_MS);
  const now = useMemo(() => (hour > 0 ? new Date() : new Date(0)), [hour]);
  const lines = useMemo(() => linesOf(list.items, now), [list.items, now]);
  const heightOf = useCallback((line: Line) => (line.kind === 'day' ? DAY_PX : isCompact ? ROW_PX.compact : ROW_PX.wide), [isCompact]);
  const { scroller, isAtTop, toTop, show, style, rows } = useScrolledList({
    items: lines,
    keyOf,
    heightOf,
    hasMore: list.hasMore,
    more: list.more,
  });
  const isNonMember = useNonMembers();
  const news = useNews(list.items, isAtTop);
  const focus = useCallback(
    (id: string) => {
      const at = lines.findIndex((line) => keyOf(line) === id);
      if (at < 0) return;
      show(at);
      const find = () => document.querySelector<HTMLElement>(`[data-thread="${id}"]`);
      // A row out of sight is rendered only after the list has scrolled.
      if (find()) find()?.focus({ preventScroll: true });
      else setTimeout(() => find()?.focus({ preventScroll: true }), DRAWN_MS);
      onCursor(id);
    },
    [lines, show, onCursor],
  );
  useImperativeHandle(handle, () => ({ focus }), [focus]);
  useShowOpen(openId, lines, list, show);

  return (
    <div ref={scroller} data-scroll-restoration-id="threads" className="relative min-h-0 grow overflow-y-auto overscroll-contain">
      <div role="status" className="pointer-events-none sticky top-3 z-10 flex h-0 justify-center">
        {news > 0 ? (
          <Button onClick={toTop} className="pointer-events-auto rounded-full shadow-lg" icon={<ArrowUp className="size-4" aria-hidden />}>
            {number(news)} new
          </Button>
        ) : null}
      </div>
      <ul aria-label="Threads" className="relative" style={style}>
        {rows.map(({ item: line, key, style }) => (
          <li key={key} style={style} className="absolute inset-x-0 top-0">
            {line.kind === 'day' ? (
              <p className="flex h-full items-end border-b border-line px-4 pb-1.5 text-xs font-medium text-soft">{line.name}</p>
            ) : (
              <ThreadRowView
                row={line.row}
                now={now}
                isCompact={isCompact}
                isOpen={line.row.id === openId}
                isSelected={selected.has(line.row.id)}
                isSelecting={selected.size > 0}
                isFromNonMember={isOfSent && line.row.sentBy !== null && isNonMember(line.row.sentBy)}
                onFocus={onCursor}
                onSelect={onSelect}
                onAct={work.act}
              />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Scrolls to the row of the open thread once, even if the row is loaded later, as after a link to the thread. */
function useShowOpen(openId: string | undefined, lines: Line[], list: List<ThreadRow>, show: (at: number) => void): void {
  const at = openId === undefined ? -1 : lines.findIndex((line) => keyOf(line) === openId);
  const isFound = at >= 0;
  const showRow = useEffectEvent(() => show(at));
  useEffect(() => {
    // Scrolls a frame later, when the list has its height.
    const frame = openId !== undefined && isFound ? requestAnimationFrame(() => showRow()) : 0;
    return () => cancelAnimationFrame(frame);
  }, [openId, isFound]);
  const isWanted = openId !== undefined && !isFound && list.hasMore && !list.isFetchingMore && list.items.length < LOOKED_AT_MAX;
  const { more } = list;
  useEffect(() => {
    if (isWanted) more();
  }, [isWanted, more]);
}

/** Counts the threads that have got messages since the top of the list was in sight. */
function useNews(items: ThreadRow[], isAtTop: boolean): number {
  const newest = items[0]?.at ?? '';
  const [seen, setSeen] = useState(newest);
  if (isAtTop && newest > seen) setSeen(newest);
  return useMemo(() => (isAtTop ? 0 : items.filter(({ at }) => at > seen).length), [items, isAtTop, seen]);
}
