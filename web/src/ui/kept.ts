import { useCallback, useState } from 'react';

/** What somebody is writing: still there after a reload, and in this tab only. */
export function useKept<Fields extends Record<string, string>>(key: string, empty: Fields, initial: Partial<Fields> = {}) {
  const [kept, setKept] = useState<Fields>(() => ({ ...empty, ...stored<Fields>(key), ...initial }));
  const change = useCallback(
    (changes: Partial<Fields>) =>
      setKept((known) => {
        const next = { ...known, ...changes };
        try {
          sessionStorage.setItem(key, JSON.stringify(next));
        } catch {
          // There is no room for it: then it lives as long as the page.
        }
        return next;
      }),
    [key],
  );
  const clear = useCallback(() => {
    sessionStorage.removeItem(key);
    setKept(empty);
  }, [key, empty]);
  return { kept, change, clear };
}

function stored<Fields>(key: string): Partial<Fields> {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Fields>;
  } catch {
    return {};
  }
}
