import type { Follower } from '../../contract/followers.ts';

export const noticesFollower: Follower = {
  sqlFunction: 'queue_reply_notices',
  concerns: 'replies',
  follows: 'A notice is queued for a mailbox that gets a reply and has no access to it.',
};
