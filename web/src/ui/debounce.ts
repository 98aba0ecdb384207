import { useCallback, useEffect, useRef, useState } from 'react';

/** The value once it has not changed for a while. The first value comes at once. */
export function useDebouncedValue<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** Runs the last of several functions that are passed in quick succession. */
export function useDebouncedCall(ms: number): (run: () => void) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(
    (run) => {
      clearTimeout(timer.current);
      timer.current = setTimeout(run, ms);
    },
    [ms],
  );
}
