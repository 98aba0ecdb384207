import { useCallback, useState } from 'react';

/** Fields that survive a reload, in this tab only. */
export function useStoredFields<Fields extends Record<string, string>>(key: string, empty: Fields, initial: Partial<Fields> = {}) {
  const [fields, setFields] = useState<Fields>(() => ({ ...empty, ...storedFields<Fields>(key), ...initial }));
  const change = useCallback(
    (changes: Partial<Fields>) =>
      setFields((known) => {
        const next = { ...known, ...changes };
        storeFields(key, next);
        return next;
      }),
    [key],
  );
  const clear = useCallback(() => {
    sessionStorage.removeItem(key);
    setFields(empty);
  }, [key, empty]);
  return { fields, change, clear };
}

export function storeFields(key: string, fields: Record<string, string>): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(fields));
  } catch {
    // The storage is full: the fields last as long as the page.
  }
}

export function storedFields<Fields>(key: string): Partial<Fields> {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Fields>;
  } catch {
    return {};
  }
}
