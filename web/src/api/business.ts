import { useSyncExternalStore } from 'react';

const KEY = 'waybill.business';
const listeners = new Set<() => void>();

/** The business that this tab acts for. A new tab starts with the last chosen one. */
export function activeBusiness(): string | undefined {
  return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? undefined;
}

export function actFor(handle: string | undefined): void {
  for (const storage of [sessionStorage, localStorage]) {
    if (handle === undefined) storage.removeItem(KEY);
    else storage.setItem(KEY, handle);
  }
  for (const listener of listeners) listener();
}

export function useActiveBusiness(): string | undefined {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, activeBusiness);
}
