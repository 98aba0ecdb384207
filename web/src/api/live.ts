import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useActiveBusiness } from './business.ts';
import { pause, reportFailure } from './connection.ts';
import { forget } from './queries.ts';

const EVENT = /^event: messages$/m;

type Listener = () => void;
const listeners = new Set<Listener>();

/** Listens for new messages while mounted and visible. */
export function useLive(): void {
  const business = useActiveBusiness();
  const queries = useQueryClient();
  useEffect(() => {
    if (business === undefined) return;
    let stream: AbortController | undefined;
    const follow = () => {
      stream?.abort();
      stream = undefined;
      // Browsers open few connections to a host, so hidden pages hold none.
      if (document.visibilityState !== 'visible') return;
      stream = new AbortController();
      void listen(business, stream.signal, () => onMessages(queries));
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      stream?.abort();
    };
  }, [business, queries]);
}

/** Calls the listener when messages were received or sent. */
export function useArrivals(listener: Listener): void {
  useEffect(() => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [listener]);
}

function onMessages(queries: QueryClient): void {
  for (const listener of listeners) listener();
  void forget(queries, 'GET /v1/threads/{id}', 'GET /v1/me');
}

async function listen(business: string, signal: AbortSignal, onEvent: () => void): Promise<void> {
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

async function eachEvent(response: Response, onEvent: () => void): Promise<void> {
  if (!response.ok || !response.body) return;
  let pending = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (pending + text).split('\n\n');
    pending = events.pop() ?? '';
    if (events.some((event) => EVENT.test(event))) onEvent();
  }
}
