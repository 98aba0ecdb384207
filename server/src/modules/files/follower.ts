import type { Follower } from '../../contract/followers.ts';

export const filesFollower: Follower = {
  sqlFunction: 'attach_files',
  takes: 'files',
  concerns: 'files',
  follows: 'Both parties get the files, and each file whose hash is not known is queued to be hashed.',
};
