import { messageDocument } from '@waybill/documents';
import { DOCUMENT_FACTS_MAX_BYTES } from '../../contract/limits.ts';

/**
 * What the message says of its thread's document, for the column `document`. It is found at the commit, where the JSON is at hand: to read it again for each of the two
 * parties cost nearly as much as the send (docs/adr/0016-thread-index.md).
 */
export function documentOf({ type, json }: { type: string | null; json: Buffer | null }): string | null {
  const isReadable = json !== null && json.length <= DOCUMENT_FACTS_MAX_BYTES;
  const document = messageDocument(type, isReadable ? json.toString('utf8') : null);
  if (document === undefined) return null;
  const { dueDate: due_date, ...rest } = document;
  return JSON.stringify({ ...rest, due_date });
}
