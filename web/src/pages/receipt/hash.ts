import type { Report, Task } from './hash-worker.ts';
import workerUrl from './hash-worker.ts?worker&url';

/** What is dropped here is no JSON. */
export class Unreadable extends Error {}

interface Policy {
  createScriptURL(url: string): string;
}
/** The pages let no text become a script; that of the worker is named here, and nothing else is. */
const policies = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes;
const policy = policies?.createPolicy('waybill-hash-worker', { createScriptURL: () => workerUrl });

/** SHA-256, computed beside the page so that it stays usable; what has begun ends with the signal. */
export function hashes(task: Task, { signal, onProgress }: { signal?: AbortSignal; onProgress?: (doneBytes: number) => void } = {}) {
  return new Promise<string[]>((resolve, reject) => {
    const worker = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' });
    const end = (settle: () => void) => {
      worker.terminate();
      settle();
    };
    signal?.addEventListener('abort', () => end(() => reject(signal.reason as Error)));
    const fail = () => end(() => reject(new Error('It could not be read: it was changed or moved, or is a folder. Choose it again.')));
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
