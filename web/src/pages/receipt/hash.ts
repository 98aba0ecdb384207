import type { Report, Task } from './hash-worker.ts';
import workerUrl from './hash-worker.ts?worker&url';

export class Unreadable extends Error {}

interface Policy {
  createScriptURL(url: string): string;
}
/** Trusted Types forbid scripts by URL; this policy allows the worker and nothing else. */
const policies = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes;
const policy = policies?.createPolicy('waybill-hash-worker', { createScriptURL: () => workerUrl });

/** SHA-256 in a worker thread, so that the page stays responsive. */
export function hashes(task: Task, { signal, onProgress }: { signal?: AbortSignal; onProgress?: (doneBytes: number) => void } = {}) {
  return new Promise<string[]>((resolve, reject) => {
    const worker = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' });
    const end = (settle: () => void) => {
      worker.terminate();
      settle();
    };
    signal?.addEventListener('abort', () => end(() => reject(signal.reason)));
    const fail = () => end(() => reject(new Error('Couldn’t read the file: it was changed or moved, or is a folder. Choose it again.')));
    worker.onerror = fail;
    worker.onmessage = ({ data }: MessageEvent<Report>) => {
      if ('doneBytes' in data) onProgress?.(data.doneBytes);
      else if ('hashes' in data) end(() => resolve(data.hashes));
      else if ('unreadable' in data) end(() => reject(new Unreadable(data.unreadable)));
      else fail();
    };
    worker.postMessage(task);
  });
}
