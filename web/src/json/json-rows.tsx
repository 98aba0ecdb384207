import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useRef } from 'react';
import { JsonRow, ROW_PX } from './json-row.tsx';
import { childrenOf, rowOf } from './rows.ts';
import { type JsonTree, numberAt } from './tree.ts';
import type { JsonTreeState } from './use-json-tree.ts';

const ROWS_SHOWN_MAX = 20;
const PAGE_ROWS = 15;

interface JsonRowsProps {
  tree: JsonTree;
  state: JsonTreeState;
  errors: ReadonlyMap<number, string[]>;
}

/** A tree with the keyboard behaviour of the WAI-ARIA practices. Only visible rows are rendered. */
export function JsonRows({ tree, state, errors }: JsonRowsProps) {
  const { rows, open, current, words, setCurrent, toggle } = state;
  const place = useRef<HTMLDivElement>(null);
  const id = useId();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  const at = rowOf(rows, current);
  // Opening other nodes moves rows, but must not scroll.
  const scrollTo = useEffectEvent((node: number) => virtual.scrollToIndex(rowOf(rows, node), { align: 'auto' }));
  useEffect(() => scrollTo(current), [current]);

  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (move(event.key)) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  const move = (key: string): boolean => {
    const goTo = (row: number) => setCurrent(numberAt(rows, Math.max(0, Math.min(rows.length - 1, row))));
    const isOpen = open.has(current);
    if (key === 'ArrowDown') goTo(at + 1);
    else if (key === 'ArrowUp') goTo(at - 1);
    else if (key === 'PageDown') goTo(at + PAGE_ROWS);
    else if (key === 'PageUp') goTo(at - PAGE_ROWS);
    else if (key === 'Home') goTo(0);
    else if (key === 'End') goTo(rows.length - 1);
    else if (key === 'Enter' || key === ' ') toggle(current);
    else if (key === 'ArrowRight' && !isOpen) toggle(current, true);
    else if (key === 'ArrowRight') {
      if (tree.children(current) > 0) goTo(at + 1);
    } else if (key === 'ArrowLeft' && isOpen) toggle(current, false);
    else if (key === 'ArrowLeft') {
      if (current > 0) setCurrent(tree.parent(current));
    } else if (key === '*') {
      if (current > 0) for (const node of childrenOf(tree, tree.parent(current))) toggle(node, true);
    } else return false;
    return true;
  };

  const shown = virtual.getVirtualItems();
  const isCurrentShown = shown.some(({ index }) => index === at);
  return (
    <div
      ref={place}
      role="tree"
      aria-label="JSON"
      tabIndex={0}
      aria-activedescendant={isCurrentShown ? `${id}${current}` : undefined}
      onKeyDown={onKey}
      className="group overflow-x-hidden overflow-y-auto py-1 font-mono text-sm -outline-offset-2"
      style={{ maxHeight: ROWS_SHOWN_MAX * ROW_PX }}
    >
      <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const node = numberAt(rows, index);
          return (
            <JsonRow
              key={node}
              id={`${id}${node}`}
              tree={tree}
              node={node}
              start={start}
              isOpen={open.has(node)}
              isCurrent={node === current}
              words={words}
              errors={errors.get(node)}
              hidden={open.has(node) ? undefined : errorsInside(tree, node, errors)}
              onPress={() => {
                setCurrent(node);
                toggle(node);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}

function errorsInside(tree: JsonTree, node: number, errors: ReadonlyMap<number, string[]>): number | undefined {
  let count = 0;
  for (const [at, messages] of errors) if (at > node && at < tree.after(node)) count += messages.length;
  return count || undefined;
}
