import type { EntryFollower } from '../../contract/followers.ts';

export const threadsFollower: EntryFollower = {
  index: 'index_threads',
  rebuild: 'rebuild_threads',
  follows: 'The rows of GET /v1/threads.',
};
