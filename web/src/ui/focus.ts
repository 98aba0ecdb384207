import { type RefObject, useEffect, useRef } from 'react';

/** Gives the field the focus when the page opens, if it is the first thing to do. */
export function useFirstFocus(isWanted = true): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isWanted) field.current?.focus();
  }, [isWanted]);
  return field;
}
