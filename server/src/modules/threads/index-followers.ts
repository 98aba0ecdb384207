/** A follower derives data from ledger entries. The thread index writes it in the transaction that takes the entries. */
export interface IndexFollower {
  /** Takes new entries as `indexed_entry[]`. Each entry comes once, in ledger order. The SQL file is in server/sql/<module>/. */
  index: string;
  /** Takes a party and thread ids. Rewrites the derived data of all entries of these threads up to thread_index.indexed_through. */
  rebuild: string;
  follows: string;
}

/** All data derived from ledger entries outside the send, in this order. */
export const INDEX_FOLLOWERS: readonly IndexFollower[] = [
  { index: 'index_threads', rebuild: 'rebuild_threads', follows: 'The rows of GET /v1/threads.' },
  { index: 'index_contact_activity', rebuild: 'rebuild_contact_activity', follows: 'The orders of GET /v1/contacts?sort=.' },
  { index: 'queue_search_entries', rebuild: 'queue_search_threads', follows: 'What the search index is to read (modules/search).' },
];
