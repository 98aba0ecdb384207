import { useSyncExternalStore } from 'react';

/** Whether the service can be reached. After a reported failure, this asks until it can. */

const RETRY_MS = 2_000;
const listeners = new Set<() => void>();
let isAway = false;
let isAsking = false;

/** One lost request is not an outage: the service is asked first. */
export function reportFailure(): void {
  void ask();
}

export async function canReach(): Promise<boolean> {
  try {
    return (await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(5_000) })).ok;
  } catch {
    return false;
  }
}

async function ask(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  while (!(await canReach())) {
    set(true);
    await pause();
  }
  isAsking = false;
  set(false);
}

/** Waits for the next try: a moment, or until the browser is online again. An abort ends it, too. */
export function pause(ms = RETRY_MS, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
    signal?.addEventListener('abort', end);
  });
}

function set(next: boolean): void {
  if (next === isAway) return;
  isAway = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useIsAway = (): boolean => useSyncExternalStore(subscribe, () => isAway);

export function onBack(listener: () => void): void {
  subscribe(() => {
    if (!isAway) listener();
  });
}

addEventListener('offline', reportFailure);
