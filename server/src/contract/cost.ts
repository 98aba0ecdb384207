/** What a request uses up beyond its own arrival. http/bill.ts turns it into units of the caller's rate. */
export interface Used {
  /** Of the body of the request, and of the response before compression. Files have quotas of their own. */
  bytes?: number;
  /** Rows that the database looks at, or counts, and that are not in the response. */
  rows?: number;
  /** Processor time of worker threads. */
  workerMs?: number;
  /** Further pages that a single response reads, each of which counts as a request does. */
  pages?: number;
}

/** Charges the caller for it. Never refuses: what was done is done, and the next request waits. */
export type Spend = (used: Used) => void;
