import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useState } from 'react';
import type { List } from '../api/queries.ts';
import { useIsWide } from './media.ts';

const MORE_BEFORE_ROWS = 40;
const OVERSCAN_ROWS = 12;

/** Renders only the visible rows of a long list, and loads more before its end is reached. */
export function useLongList<Item>(
  { items, hasMore, more }: Pick<List<Item>, 'items' | 'hasMore' | 'more'>,
  keyOf: (item: Item) => string,
  /** All rows have one height, so that their positions are known before they are rendered. */
  rowPx: { wide: number; narrow: number },
) {
  const [place, setPlace] = useState<HTMLUListElement | null>(null);
  const height = useIsWide() ? rowPx.wide : rowPx.narrow;
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => height,
    overscan: OVERSCAN_ROWS,
    scrollMargin: place?.offsetTop ?? 0,
    getItemKey: (index) => (items[index] === undefined ? index : keyOf(items[index])),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the virtualizer must measure again when the height changes
  useEffect(() => virtual.measure(), [virtual, height]);
  const drawn = virtual.getVirtualItems();
  const lastShown = drawn.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastShown >= items.length - MORE_BEFORE_ROWS) more();
  }, [hasMore, lastShown, items.length, more]);
  return {
    list: { ref: setPlace, style: { height: virtual.getTotalSize() } },
    scrollTo: virtual.scrollToIndex,
    rows: drawn.flatMap(({ index, start, key }) => {
      const item = items[index];
      if (item === undefined) return [];
      const style = { height, transform: `translateY(${start - virtual.options.scrollMargin}px)` };
      return [{ item, key, row: { 'aria-setsize': hasMore ? -1 : items.length, 'aria-posinset': index + 1, style } }];
    }),
  };
}
