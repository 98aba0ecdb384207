import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useActiveBusiness } from './business.ts';
import { forget } from './queries.ts';

const RECONNECT_MS = 2_000;
const EVENT = /^event: messages$/m;

type Listener = () => void;
const listeners = new Set<Listener>();

/** While this is mounted and looked at, whatever shows messages is told when there are new ones. */
export function useLive(): void {
  const business = useActiveBusiness();
  const queries = useQueryClient();
  useEffect(() => {
    if (business === undefined) return;
    let stream: AbortController | undefined;
    const follow = () => {
      stream?.abort();
      stream = undefined;
      // Browsers open few connections to a host: pages that nobody looks at hold none.
      if (document.visibilityState !== 'visible') return;
      stream = new AbortController();
      void listen(business, stream.signal, () => arrived(queries));
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      stream?.abort();
    };
  }, [business, queries]);
}

/** Calls back when messages have come or gone. */
export function useArrivals(listener: Listener): void {
  useEffect(() => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [listener]);
}

function arrived(queries: QueryClient): void {
  for (const listener of listeners) listener();
  void forget(queries, 'GET /v1/threads/{id}', 'GET /v1/me');
}

async function listen(business: string, signal: AbortSignal, onEvent: () => void): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await fetch('/v1/events', { headers: { 'waybill-business': business }, signal });
      // Signed out, or no member any more: the next thing that is done will say so.
      if (response.status === 401 || response.status === 403) return;
      await eachEvent(response, onEvent);
    } catch {
      // Tried again below.
    }
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}

async function eachEvent(response: Response, onEvent: () => void): Promise<void> {
  if (!response.ok || !response.body) return;
  let pending = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
    const events = (pending + text).split('\n\n');
    pending = events.pop() ?? '';
    if (events.some((event) => EVENT.test(event))) onEvent();
  }
}
