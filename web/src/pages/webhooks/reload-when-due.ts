import { useEffect } from 'react';

const RELOAD_MS = 1_000;
/** Clocks differ, and an attempt starts a moment after it is due. */
const LATE_MS = 500;
const TIMER_MAX_MS = 2 ** 31 - 1;

interface Attempted {
  status: string;
  next_attempt_at: string | null;
}

/** Reloads when the first pending attempt is due, and then each second until it is made. */
export function useReloadWhenDue(attempts: readonly Attempted[], isFetching: boolean, reload: () => void): void {
  const due = attempts.flatMap(({ status, next_attempt_at }) =>
    (status === 'pending' || status === 'retrying') && next_attempt_at !== null ? [Date.parse(next_attempt_at)] : [],
  );
  const dueAt = Math.min(...due);
  useEffect(() => {
    if (isFetching || dueAt === Infinity) return;
    const waitMs = Math.max(RELOAD_MS, dueAt + LATE_MS - Date.now());
    const timer = setTimeout(reload, Math.min(TIMER_MAX_MS, waitMs));
    return () => clearTimeout(timer);
  }, [isFetching, dueAt, reload]);
}
