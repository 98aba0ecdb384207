/** A consequence of each batch of delivered messages, in the transaction that delivers them. */
export interface Follower {
  /** Takes the batch as `committed_message[]`. Its file is server/sql/<module>/<sqlFunction>.sql. */
  sqlFunction: string;
  follows: string;
}

/** All consequences of a message, in this order. commit-store.ts calls them in the round trip that commits the batch. */
export const FOLLOWERS: readonly Follower[] = [
  { sqlFunction: 'note_contacts', follows: 'The contacts of both parties are brought up to date.' },
  { sqlFunction: 'queue_webhook_attempts', follows: 'An attempt is queued for each webhook that matches, and its workers are notified.' },
  { sqlFunction: 'queue_reply_notices', follows: 'A notice is queued for a mailbox that gets a reply and has no access to it.' },
];
