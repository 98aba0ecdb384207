import type { Follower } from '../../contract/followers.ts';

export const expiriesFollower: Follower = {
  sqlFunction: 'expect_takers',
  concerns: 'expiries',
  follows: 'By when somebody should have taken the message, for the chore that looks whether somebody has.',
};
