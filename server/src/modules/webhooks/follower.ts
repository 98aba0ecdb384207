import type { Follower } from '../../contract/followers.ts';
import { CHANNELS } from '../../contract/jobs-and-channels.ts';

export const webhooksFollower: Follower = {
  sqlFunction: 'queue_webhook_attempts',
  follows: 'An attempt is queued for each webhook that matches. Its workers are notified after the commit.',
  channel: CHANNELS.webhooks,
};
