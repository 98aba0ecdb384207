/** The cost of a request beyond its arrival. http/bill.ts turns it into units of the caller's rate. */
interface Used {
  /** The bytes of the request's body, and of the response before compression. Files have their own quotas. */
  bytes?: number;
  /** Rows that the database reads or counts, and that are not in the response. */
  rows?: number;
  workerMs?: number;
  /** Further requests that this one stands for: pages of a long response, messages of a batch. */
  requests?: number;
}

/** Charges the caller. Never refuses, because the work is done: the next request waits instead. */
export type Spend = (used: Used) => void;
