import { useEffect, useState } from 'react';
import type { Warning } from '../../../packages/documents/src/index.ts';
import { CATALOGUE } from './catalogue-names.ts';
import type { CheckTask } from './check-worker.ts';
import workerUrl from './check-worker.ts?worker&url';
import { startWorker } from './start-worker.ts';

const NONE: readonly Warning[] = [];

/** What the rules of a type find in a document. They run in a worker: a document of 1 MB would hold the page. */
export function useWarnings(type: string | null, text: string): readonly Warning[] {
  const [found, setFound] = useState({ text: '', warnings: NONE });
  useEffect(() => {
    if (type === null || !CATALOGUE.includes(type)) return;
    const worker = startWorker('waybill-check-worker', workerUrl);
    worker.onmessage = ({ data }: MessageEvent<readonly Warning[]>) => {
      setFound({ text, warnings: data });
      worker.terminate();
    };
    // Without the rules the document is still there to read.
    worker.onerror = (event) => event.preventDefault();
    worker.postMessage({ type, text } satisfies CheckTask);
    return () => worker.terminate();
  }, [type, text]);
  return found.text === text ? found.warnings : NONE;
}
