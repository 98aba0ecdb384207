import { useEffect, useSyncExternalStore } from 'react';

export interface Command {
  readonly name: string;
  /** The shortcut, shown so that people learn it. */
  keys?: string;
  run(): void;
}

let layers: readonly Command[][] = [];
const listeners = new Set<() => void>();

function change(next: readonly Command[][]): void {
  layers = next;
  for (const listener of listeners) listener();
}

/** Offers commands while mounted. The array must stay the same while the commands do. */
export function useCommands(commands: Command[]): void {
  useEffect(() => {
    change([...layers, commands]);
    return () => change(layers.filter((layer) => layer !== commands));
  }, [commands]);
}

export function useOffered(): readonly Command[][] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => layers,
  );
}
