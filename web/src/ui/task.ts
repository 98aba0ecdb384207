import { useState } from 'react';
import { WaybillError } from '../api/client.ts';

export function useTask() {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<WaybillError | null>(null);
  const run = async (task: () => unknown): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await task();
    } catch (failure) {
      if (!(failure instanceof WaybillError)) throw failure;
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, run };
}
