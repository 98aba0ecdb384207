import { FILE_MAX_CHARS } from '../../../../../packages/documents/src/index.ts';
import type { ReadDocument } from '../../../../../packages/documents/src/read-file.ts';
import { startWorker } from '../../../documents/start-worker.ts';
import type { ReadTask } from './read-worker.ts';
import workerUrl from './read-worker.ts?worker&url';

const BYTES_OF_A_CHARACTER_MAX = 4;

/** Whether a file may be a document. Others are attachments. */
export const isDocumentFile = ({ name }: File): boolean => /\.(xml|csv|tsv|json)$/i.test(name);

/** What `<input type="file">` offers. */
export const DOCUMENT_FILES = '.xml,.csv,.tsv,.json';

/** The document in a file. What can't be read has a problem, which is a sentence for people. */
export async function readDropped(file: File, wanted?: ReadTask['wanted']): Promise<ReadDocument> {
  if (file.size > FILE_MAX_CHARS * BYTES_OF_A_CHARACTER_MAX) return { problem: 'The file is too large for a form.' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return await inWorker({ name: file.name, text, wanted });
  } catch (failure) {
    return {
      problem: failure instanceof TypeError ? 'The file is not text in UTF-8. Save it as UTF-8 first.' : 'The file could not be read.',
    };
  }
}

function inWorker(task: ReadTask): Promise<ReadDocument> {
  const worker = startWorker('waybill-read-worker', workerUrl);
  const { promise, resolve, reject } = Promise.withResolvers<ReadDocument>();
  worker.onmessage = ({ data }: MessageEvent<ReadDocument>) => resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    reject(new Error('the worker has failed'));
  };
  worker.postMessage(task);
  return promise.finally(() => worker.terminate());
}
