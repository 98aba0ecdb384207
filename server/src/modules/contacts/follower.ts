import type { EntryFollower } from '../../contract/followers.ts';

export const contactsFollower: EntryFollower = {
  index: 'follow_contacts',
  rebuild: 'rebuild_contacts',
  // Counts add up, in any order, and can't be read again thread by thread.
  retries: 'entries',
  follows: 'The contacts of businesses, with what GET /v1/contacts shows of their messages.',
};
