import { useCallback, useEffect, useRef, useState } from 'react';
import type { AnyReceipt } from '../../api/schema.ts';
import { checkFile, checkText, type Finding } from './check.ts';

export type State = { kind: 'idle' } | { kind: 'busy'; name: string; percent: number | undefined } | Ended;
export type Ended = { kind: 'found'; finding: Finding } | { kind: 'failed'; message: string };

const IDLE: State = { kind: 'idle' };

/** Checks one file or text at a time: the next one cancels the one before. */
export function useCheck(receipt: AnyReceipt) {
  const [state, setState] = useState<State>(IDLE);
  const running = useRef(new AbortController());
  useEffect(() => () => running.current.abort(), []);

  const run = useCallback(async (name: string, check: (signal: AbortSignal) => Promise<Finding>) => {
    running.current.abort();
    running.current = new AbortController();
    const { signal } = running.current;
    setState({ kind: 'busy', name, percent: undefined });
    try {
      const finding = await check(signal);
      if (!signal.aborted) setState({ kind: 'found', finding });
    } catch (error) {
      if (!signal.aborted) setState({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    }
  }, []);

  const file = useCallback(
    (chosen: File) =>
      void run(chosen.name, (signal) =>
        checkFile(chosen, receipt, {
          signal,
          onProgress: (doneBytes) => {
            if (!signal.aborted) setState({ kind: 'busy', name: chosen.name, percent: Math.floor((doneBytes / chosen.size) * 100) });
          },
        }),
      ),
    [run, receipt],
  );
  const text = useCallback((written: string) => void run('The JSON', (signal) => checkText(written, signal)), [run]);
  const stop = useCallback(() => {
    running.current.abort();
    setState(IDLE);
  }, []);
  return { state, file, text, stop };
}
