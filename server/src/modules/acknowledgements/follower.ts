import type { Follower } from '../../contract/followers.ts';

export const expiriesFollower: Follower = {
  sqlFunction: 'expect_takers',
  concerns: 'expiries',
  follows: 'By when somebody should have taken the message, for the chore that looks whether somebody has.',
};

export const acknowledgementsFollower: Follower = {
  sqlFunction: 'queue_acknowledgements',
  takes: 'acknowledgements',
  concerns: 'acknowledgements',
  follows: 'What a reply acknowledges is judged and queued.',
};
