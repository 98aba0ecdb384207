import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { allContainers, matches, openAtFirst, rowOf, shownRows } from './rows.ts';
import type { JsonTree } from './tree.ts';

const ROWS_AT_FIRST = 60;

/** The open nodes, the current node and the search of a tree. shownAtFirst: nodes to make visible. closedAtFirst: nodes that are shown elsewhere. */
export function useJsonTree(tree: JsonTree, shownAtFirst: Iterable<number>, closedAtFirst: readonly number[] = []) {
  const [open, setOpen] = useState<ReadonlySet<number>>(() => {
    const above = [...shownAtFirst].flatMap((node) => tree.ancestors(node));
    const open = openAtFirst(tree, ROWS_AT_FIRST);
    for (const node of closedAtFirst) open.delete(node);
    return new Set([...open, ...above]);
  });
  const [current, setCurrent] = useState(0);
  const [words, setWords] = useState('');
  const rows = useMemo(() => shownRows(tree, open), [tree, open]);
  const searched = useDeferredValue(words);
  const found = useMemo(() => matches(tree, searched), [tree, searched]);

  const reveal = useCallback(
    (node: number) => {
      setOpen((known) => new Set([...known, ...tree.ancestors(node)]));
      setCurrent(node);
    },
    [tree],
  );
  const toggle = useCallback(
    (node: number, isOpen?: boolean) => {
      if (!tree.isContainer(node)) return;
      setOpen((known) => {
        const next = new Set(known);
        if (isOpen ?? !known.has(node)) next.add(node);
        else next.delete(node);
        return next;
      });
    },
    [tree],
  );
  // While typing, the tree stays at a match, or goes to the next one.
  const [jumpedIn, setJumpedIn] = useState(found);
  if (found !== jumpedIn) {
    setJumpedIn(found);
    const next = found.at(rowOf(Int32Array.from(found), current) % Math.max(1, found.length));
    if (next !== undefined) reveal(next);
  }

  const go = (by: 1 | -1) => {
    // Fast typing is ahead of the deferred search.
    const all = searched === words ? found : matches(tree, words);
    const after = rowOf(Int32Array.from(all), by === 1 ? current + 1 : current);
    const next = all.at(by === 1 ? after % all.length : after - 1);
    if (next !== undefined) reveal(next);
  };
  return {
    rows,
    open,
    current,
    words,
    found,
    setCurrent,
    setWords,
    reveal,
    toggle,
    go,
    openAll: () => setOpen(allContainers(tree)),
    closeAll: () => {
      setOpen(new Set([0]));
      setCurrent(0);
    },
  };
}

export type JsonTreeState = ReturnType<typeof useJsonTree>;
