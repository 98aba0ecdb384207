import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useActiveBusiness } from './business.ts';
import { pause, reportFailure } from './connection.ts';
import { isDesktopOn } from './desktop.ts';
import { forget } from './queries.ts';

/** messages: some were received or sent. threads: the list has new messages, or somebody worked on a thread. */
type Kind = 'messages' | 'threads';

const EVENT = /^event: (messages|threads)$/gm;
const COUNTS_EVERY_MS = 2_000;

type Listener = () => void;
const listeners: Record<Kind, Set<Listener>> = { messages: new Set(), threads: new Set() };

/** Listens for changes while mounted and visible. */
export function useLive(): void {
  const business = useActiveBusiness();
  const queries = useQueryClient();
  useEffect(() => {
    if (business === undefined) return;
    let stream: AbortController | undefined;
    const recount = throttled(() => forgetCounts(queries), COUNTS_EVERY_MS);
    const onEvent = (kind: Kind) => {
      for (const listener of listeners[kind]) listener();
      if (kind === 'threads') recount.call();
      else void forget(queries, 'GET /v1/me');
    };
    const follow = () => {
      stream?.abort();
      stream = undefined;
      const isVisible = document.visibilityState === 'visible';
      // Browsers open few connections to a host, so hidden pages hold none. For desktop notifications, one hidden page holds one for all.
      if (!isVisible && !isDesktopOn()) return;
      stream = new AbortController();
      const { signal } = stream;
      if (isVisible) void listen(business, signal, onEvent);
      else void navigator.locks.request('waybill.listening', { signal }, () => listen(business, signal, onEvent)).catch(() => undefined);
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      recount.stop();
      stream?.abort();
    };
  }, [business, queries]);
}

export function forgetCounts(queries: QueryClient): void {
  void forget(queries, 'GET /v1/threads/counts', 'GET /v1/views', 'GET /v1/notifications');
}

export function useArrivals(listener: Listener): void {
  useListener('messages', listener);
}

export function useThreadChanges(listener: Listener): void {
  useListener('threads', listener);
}

function useListener(kind: Kind, listener: Listener): void {
  useEffect(() => {
    listeners[kind].add(listener);
    return () => void listeners[kind].delete(listener);
  }, [kind, listener]);
}

/** Runs at once, then at most once in the given time, and once more after the last call. */
export function throttled(run: () => void, everyMs: number | (() => number)): { call(): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = 0;
  return {
    call: () => {
      clearTimeout(timer);
      timer = setTimeout(
        () => {
          lastAt = Date.now();
          run();
        },
        Math.max(0, lastAt + (typeof everyMs === 'number' ? everyMs : everyMs()) - Date.now()),
      );
    },
    stop: () => clearTimeout(timer),
  };
}

async function listen(business: string, signal: AbortSignal, onEvent: (kind: Kind) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await fetch('/v1/events', { headers: { 'waybill-business': business }, signal });
      // Signed out, or not a member any more: the next request shows that.
      if (response.status === 401 || response.status === 403) return;
      await eachEvent(response, onEvent);
    } catch {
      if (!signal.aborted) reportFailure();
    }
    await pause();
  }
}

async function eachEvent(response: Response, onEvent: (kind: Kind) => void): Promise<void> {
  if (!response.ok || !response.body) return;
  let pending = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (pending + text).split('\n\n');
    pending = events.pop() ?? '';
    const kinds = new Set(
      events.flatMap((event) => [...event.matchAll(EVENT)].map(([, kind]) => (kind === 'threads' ? kind : 'messages'))),
    );
    for (const kind of kinds) onEvent(kind);
  }
}
