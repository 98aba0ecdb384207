import { useCallback, useMemo, useState, useSyncExternalStore } from 'react';

type Texts = Record<string, string>;

/** Key: the storage key. It also has fields for which the storage has no room: they last as long as the page. */
const known = new Map<string, Texts>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Fields in sessionStorage: they survive a reload. Forms mounted with the same key show the same fields. */
export function useStoredFields<Fields extends Texts>(key: string, empty: Fields, initial: Partial<Fields> = {}) {
  // Text written for other initial fields, such as another recipient, is not continued.
  useState(() => {
    const stored = storedFields(key);
    const isOther = Object.entries(initial).some(([name, value]) => stored[name] !== value);
    if (isOther) write(key, { ...empty, ...initial });
  });
  const stored = useSyncExternalStore(subscribe, () => storedFields(key));
  const fields = useMemo<Fields>(() => ({ ...empty, ...stored }), [empty, stored]);
  const change = useCallback((changes: Partial<Fields>) => storeFields(key, { ...empty, ...storedFields(key), ...changes }), [key, empty]);
  const clear = useCallback(() => storeFields(key, {}), [key]);
  return { fields, change, clear };
}

export function storeFields(key: string, fields: Texts): void {
  write(key, fields);
  for (const listener of listeners) listener();
}

function write(key: string, fields: Texts): void {
  known.set(key, fields);
  try {
    if (Object.keys(fields).length === 0) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(fields));
  } catch {
    // The storage is full: the fields last as long as the page.
  }
}

/** Empty if nothing is stored. The same object until something changes. */
export function storedFields(key: string): Texts {
  const fields = known.get(key) ?? readFields(key);
  known.set(key, fields);
  return fields;
}

function readFields(key: string): Texts {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Texts;
  } catch {
    return {};
  }
}
