import type { Follower } from '../../contract/followers.ts';

export const signaturesFollower: Follower = {
  sqlFunction: 'keep_signatures',
  takes: 'signatures',
  concerns: 'signatures',
  follows: 'The signature of a signed request is kept with its message.',
};
