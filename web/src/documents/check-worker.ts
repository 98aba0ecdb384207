import { checkDocument, documentType, type Warning } from '../../../packages/documents/src/index.ts';

export interface CheckTask {
  type: string;
  text: string;
}

/** Checks a long document outside of the thread of the page. */
addEventListener('message', ({ data }: MessageEvent<CheckTask>) => {
  const type = documentType(data.type);
  const warnings: Warning[] = type ? checkDocument(type, data.text) : [];
  postMessage(warnings);
});
