import type { Follower } from '../../contract/followers.ts';

export const logFollower: Follower = {
  sqlFunction: 'log_messages',
  follows: 'Each message gets a leaf, which the sequencer puts into the log.',
};
