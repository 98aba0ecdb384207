import type { EntryFollower } from '../../contract/followers.ts';

export const documentsFollower: EntryFollower = {
  index: 'follow_documents',
  rebuild: 'queue_document_threads',
  follows: 'What is known of the documents in messages (modules/document-facts).',
};
