import { useSyncExternalStore } from 'react';

const TICK_MS = 5_000;

function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, TICK_MS);
  return () => clearInterval(timer);
}

/** The time in milliseconds, to within a few seconds. The component renders again as it advances. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => Math.floor(Date.now() / TICK_MS) * TICK_MS);
}
