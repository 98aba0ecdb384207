import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';

const MORE_BEFORE_ROWS = 40;
const OVERSCAN_ROWS = 12;
/** Scrolled further than this, rows that are added above do not move the ones being read. */
const AT_TOP_PX = 40;

interface ScrolledListOptions<Item> {
  items: Item[];
  keyOf(item: Item): string;
  /** Heights must be known before rows are rendered. */
  heightOf(item: Item): number;
  hasMore: boolean;
  more(): void;
}

/** A long list with its own scroller. It renders only the rows in sight, stays at the row that is being read, and loads more before its end. */
export function useScrolledList<Item>({ items, keyOf, heightOf, hasMore, more }: ScrolledListOptions<Item>) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [isAtTop, setAtTop] = useState(true);
  const { starts, keys } = useMemo(() => placesOf(items, keyOf, heightOf), [items, keyOf, heightOf]);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller,
    estimateSize: (index) => (items[index] === undefined ? 0 : heightOf(items[index])),
    getItemKey: (index) => keys[index] ?? index,
    overscan: OVERSCAN_ROWS,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the virtualizer must measure again when heights change
  useEffect(() => virtual.measure(), [virtual, heightOf]);

  useAnchor(scroller, starts, keys, setAtTop);
  const drawn = virtual.getVirtualItems();
  const lastShown = drawn.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastShown >= items.length - MORE_BEFORE_ROWS) more();
  }, [hasMore, lastShown, items.length, more]);
  return {
    scroller: setScroller,
    isAtTop,
    style: { height: virtual.getTotalSize() },
    toTop: () => scroller?.scrollTo({ top: 0 }),
    show: (index: number) => virtual.scrollToIndex(index, { align: 'auto' }),
    rows: drawn.flatMap(({ index, start, key }) => {
      const item = items[index];
      if (item === undefined) return [];
      return [{ item, index, key, style: { height: heightOf(item), transform: `translateY(${start}px)` } }];
    }),
  };
}

function placesOf<Item>(items: Item[], keyOf: (item: Item) => string, heightOf: (item: Item) => number) {
  const starts: number[] = [];
  let at = 0;
  for (const item of items) {
    starts.push(at);
    at += heightOf(item);
  }
  return { starts, keys: items.map(keyOf) };
}

/** Keeps the first row in sight where it is when rows above it come and go. */
function useAnchor(scroller: HTMLElement | null, starts: number[], keys: string[], setAtTop: (isAtTop: boolean) => void): void {
  const anchor = useRef<{ key: string; below: number }>(undefined);
  useLayoutEffect(() => {
    if (!scroller) return;
    const note = () => {
      const { scrollTop } = scroller;
      setAtTop(scrollTop < AT_TOP_PX);
      const at = starts.findIndex((start) => start >= scrollTop);
      const key = keys[at];
      anchor.current = key === undefined || scrollTop < AT_TOP_PX ? undefined : { key, below: (starts[at] ?? 0) - scrollTop };
    };
    const known = anchor.current;
    const start = known && starts[keys.indexOf(known.key)];
    if (known && start !== undefined && start - known.below !== scroller.scrollTop) scroller.scrollTo({ top: start - known.below });
    scroller.addEventListener('scroll', note, { passive: true });
    return () => scroller.removeEventListener('scroll', note);
  }, [scroller, starts, keys, setAtTop]);
}
