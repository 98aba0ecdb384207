import { useCallback, useState } from 'react';

/** Fields that survive a reload, in this tab only. */
export function useStoredFields<Fields extends Record<string, string>>(key: string, empty: Fields, initial: Partial<Fields> = {}) {
  const [fields, setFields] = useState<Fields>(() => ({ ...empty, ...stored<Fields>(key), ...initial }));
  const change = useCallback(
    (changes: Partial<Fields>) =>
      setFields((known) => {
        const next = { ...known, ...changes };
        try {
          sessionStorage.setItem(key, JSON.stringify(next));
        } catch {
          // The storage is full: the fields last as long as the page.
        }
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

function stored<Fields>(key: string): Partial<Fields> {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Fields>;
  } catch {
    return {};
  }
}
