import type { EntryFollower } from '../../contract/followers.ts';

export const documentsFollower: EntryFollower = {
  index: 'queue_documents',
  rebuild: 'queue_document_threads',
  follows: 'The threads whose documents a worker is to read (modules/document-facts).',
};
