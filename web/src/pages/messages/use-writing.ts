import { useRouter } from '@tanstack/react-router';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useWritingForm } from '../../ui/shortcuts.ts';
import { dropKeys, holdKeys, isHeld } from '../../ui/type-ahead.ts';

const WAYS = ['reply', 'comment'] as const;
export type Writing = (typeof WAYS)[number];

/** Identifies the keys that are typed before the field is rendered. */
export const keysPlace = (what: Writing, threadId: string): string => `${what} ${threadId}`;

export interface ThreadWriting {
  what: Writing | undefined;
  write(what: Writing): void;
  fold(): void;
  section: RefObject<HTMLElement | null>;
  note: RefObject<HTMLTextAreaElement | null>;
  comment: RefObject<HTMLTextAreaElement | null>;
}

/** The open form of a thread. It stays open, and keys stay text, until it is closed or its thread is left. */
export function useThreadWriting(threadId: string): ThreadWriting {
  const router = useRouter();
  const [what, setWhat] = useState<Writing>();
  const section = useRef<HTMLElement>(null);
  const note = useRef<HTMLTextAreaElement>(null);
  const comment = useRef<HTMLTextAreaElement>(null);
  const write = useCallback(
    (next: Writing) => {
      // Another thread may be opening already, such as after this one is done. Then the shortcut is meant for that thread.
      const opening = /^\/threads\/([^/]+)$/.exec(router.latestLocation.pathname)?.[1] ?? threadId;
      if (opening !== threadId) {
        holdKeys(keysPlace(next, opening));
        return;
      }
      // Rendered at once, because the next keys are text and not shortcuts.
      flushSync(() => setWhat(next));
      const field = next === 'reply' ? note : comment;
      if (field.current) field.current.focus();
      else holdKeys(keysPlace(next, threadId));
    },
    [router, threadId],
  );
  const forget = useCallback(() => {
    dropKeys(keysPlace('reply', threadId));
    dropKeys(keysPlace('comment', threadId));
  }, [threadId]);
  const fold = useCallback(() => {
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement && section.current?.contains(activeElement)) activeElement.blur();
    forget();
    setWhat(undefined);
  }, [forget]);
  useEffect(() => {
    const timer = setTimeout(() => {
      // Keys that were typed while this thread was opening.
      const waiting = WAYS.find((one) => isHeld(keysPlace(one, threadId)));
      if (waiting) setWhat(waiting);
    });
    return () => {
      clearTimeout(timer);
      forget();
    };
  }, [threadId, forget]);
  useWritingForm(section, what === undefined ? undefined : fold);
  return useMemo(() => ({ what, write, fold, section, note, comment }), [what, write, fold]);
}

/** Folds an empty form when somebody clicks elsewhere, or leaves it with the Tab key. */
export function useFoldWhenLeft(writing: ThreadWriting | undefined, isUntouched: boolean): void {
  useEffect(() => {
    if (!writing || !isUntouched) return;
    const { section, fold } = writing;
    const onLeave = (event: MouseEvent | KeyboardEvent) => {
      const form = section.current;
      // The path of the event also has elements that the click has removed from the page.
      const isInside = form === null || form.contains(document.activeElement) || event.composedPath().includes(form);
      if (!isInside && (!('key' in event) || event.key === 'Tab')) fold();
    };
    document.addEventListener('click', onLeave);
    document.addEventListener('keyup', onLeave);
    return () => {
      document.removeEventListener('click', onLeave);
      document.removeEventListener('keyup', onLeave);
    };
  }, [writing, isUntouched]);
}
