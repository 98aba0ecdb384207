const FIRST_BACKOFF_MS = 500;
const BACKOFF_MAX_MS = 30_000;

/** The pause before the next try: longer each time, and random, so that clients don't all come back at once. */
export function backoffMs(failures: number, retryAfterS = 0): number {
  const backoff = Math.min(BACKOFF_MAX_MS, FIRST_BACKOFF_MS * 2 ** Math.min(20, failures - 1));
  return Math.max(retryAfterS * 1_000, backoff / 2) + (Math.random() * backoff) / 2;
}

/** Waits. Rejects with the reason of the signal as soon as it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      settle();
    };
    const abort = () => end(() => reject(signal?.reason));
    const timer = setTimeout(() => end(resolve), ms);
    signal?.addEventListener('abort', abort);
  });
}
