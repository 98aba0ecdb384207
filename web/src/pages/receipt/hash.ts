import type { Report, Task } from './hash-worker.ts';
import workerUrl from './hash-worker.ts?worker&url';

export class Unreadable extends Error {}

interface Policy {
  createScriptURL(url: string): string;
}
/** Trusted Types forbid scripts by URL; this policy allows the worker and nothing else. */
const policies = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes;
const policy = policies?.createPolicy('waybill-hash-worker', { createScriptURL: () => workerUrl });

interface Watch {
  signal?: AbortSignal;
  onProgress?: (doneBytes: number) => void;
}

/** SHA-256 outside of the thread of the page, which stays responsive. The browser hashes texts itself, so the worker is loaded only for files and JSON. */
export function hashes(task: Task, watch: Watch = {}): Promise<string[]> {
  // Browsers offer cryptography only to pages from a trustworthy address.
  if ('texts' in task && globalThis.crypto?.subtle !== undefined) return Promise.all(task.texts.map(hashOfText));
  return hashesByWorker(task, watch);
}

async function hashOfText(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return `sha256:${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function hashesByWorker(task: Task, { signal, onProgress }: Watch): Promise<string[]> {
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
