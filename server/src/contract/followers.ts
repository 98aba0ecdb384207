/** replies: also messages to parties without a handle. */
export type Concern = 'files' | 'signatures' | 'replies';

/** A consequence of each batch of delivered messages, in the transaction that delivers them. */
export interface Follower {
  /** Takes the batch as `committed_message[]`. Its file is server/sql/<module>/<sqlFunction>.sql. */
  sqlFunction: string;
  takes?: 'files' | 'signatures';
  /** A batch without such a message does not call the follower. Default: every message. */
  concerns?: Concern;
  follows: string;
  /** The NOTIFY channel on which the text that the function returns is announced after the commit. Without a channel, it returns nothing. */
  channel?: string;
}
