import type { DocumentType } from '../../../../../packages/documents/src/index.ts';
import { readDocument } from '../../../../../packages/documents/src/read-file.ts';

export interface ReadTask {
  name: string;
  text: string;
  /** The type of the form that the file is for. */
  wanted: Pick<DocumentType, 'type' | 'schema' | 'layout'> | undefined;
}

/** Reads a long file outside of the thread of the page. */
addEventListener('message', ({ data: { name, text, wanted } }: MessageEvent<ReadTask>) =>
  postMessage(readDocument(name, text, wanted?.type, wanted)),
);
