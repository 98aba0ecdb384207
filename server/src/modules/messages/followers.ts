import { CHANNELS } from '../../contract/jobs-and-channels.ts';

/** A consequence of each batch of delivered messages, in the transaction that delivers them. */
export interface Follower {
  /** Takes the batch as `committed_message[]`. Its file is server/sql/<module>/<sqlFunction>.sql. */
  sqlFunction: string;
  follows: string;
}

/** The follower that returns what is announced on a channel of NOTIFY after the commit, or null. The others return nothing. */
export const ANNOUNCED: Follower & { channel: string } = {
  sqlFunction: 'queue_webhook_attempts',
  follows: 'An attempt is queued for each webhook that matches. Its workers are notified after the commit.',
  channel: CHANNELS.webhooks,
};

/** All consequences of a message, in this order. commit-store.ts calls them in the round trip that commits the batch. */
export const FOLLOWERS: readonly Follower[] = [
  { sqlFunction: 'note_contacts', follows: 'The contacts of both parties are brought up to date.' },
  ANNOUNCED,
  { sqlFunction: 'queue_reply_notices', follows: 'A notice is queued for a mailbox that gets a reply and has no access to it.' },
];
