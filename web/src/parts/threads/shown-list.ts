import { useMatch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { type ListSearch, parseListSearch } from './views.ts';

/** The last open list, to go back to, and to show beside a thread. */
let last: { search: ListSearch; index: number } = { search: {}, index: -2 };

function indexNow(): number {
  const state: { __TSR_index?: number } | null = history.state;
  return state?.__TSR_index ?? -1;
}

export const lastList = (): ListSearch => last.search;

/** The last list is the previous entry of the history. */
export const isLastListBehind = (): boolean => last.index === indexNow() - 1;

export function useShownList(): ListSearch {
  const found = useMatch({ from: '/app/mailbox/inbox', shouldThrow: false })?.search;
  // The router adds other parameters of the address.
  const named = useMemo(() => found && parseListSearch({ ...found }), [found]);
  const [known, setKnown] = useState(lastList);
  if (named && named !== known) setKnown(named);
  useEffect(() => {
    if (named) last = { search: named, index: indexNow() };
  }, [named]);
  return named ?? known;
}
