/** replies: also messages to parties without a handle. */
export type Concern = 'files' | 'signatures' | 'acknowledgements' | 'replies' | 'expiries';

/** A consequence of each batch of delivered messages, in the transaction that delivers them. */
export interface Follower {
  /** Takes the batch as `committed_message[]`. Its file is server/sql/<module>/<sqlFunction>.sql. */
  sqlFunction: string;
  takes?: 'files' | 'signatures' | 'acknowledgements';
  /** A batch without such a message does not call the follower. Default: every message. */
  concerns?: Concern;
  follows: string;
  /** The NOTIFY channel on which the text that the function returns is announced after the commit. Without a channel, it returns nothing. */
  channel?: string;
}

/**
 * Data that follows from ledger entries behind the commit, so that sends do not wait for it. It is written exactly once for each entry of a business, in
 * the transaction that moves the position of the followers in its ledger.
 */
export interface EntryFollower {
  /** Takes new entries as `indexed_entry[]`, in the order of each ledger. Its file is server/sql/<module>/<index>.sql. */
  index: string;
  /** Takes a party and thread ids. Rewrites the derived data of all entries of these threads up to thread_index.indexed_through. */
  rebuild: string;
  /** What is tried again of entries for which it failed. Default: their threads are rebuilt. 'entries': `index` gets them, later than newer ones. */
  retries?: 'entries';
  follows: string;
}
