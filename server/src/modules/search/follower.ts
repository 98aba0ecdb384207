import type { EntryFollower } from '../../contract/followers.ts';

export const searchFollower: EntryFollower = {
  index: 'queue_search_entries',
  rebuild: 'queue_search_threads',
  follows: 'What the search index is to read (modules/search).',
};
