/** The counters that an attempt in a state adds to, and its next states. */
interface StateRow {
  /** 1 while renewals of the lease name the attempt. */
  lease: 0 | 1;
  /** 1 while the attempt takes a place of its webhook, its business and the process. */
  place: 0 | 1;
  request: 0 | 1;
  next: readonly AttemptState[];
}

export type AttemptState = 'queued' | 'leased' | 'ready' | 'sending' | 'ended' | 'recorded' | 'abandoned';

/**
 * The life of an attempt in the process that leases it:
 *
 *     queued ──▶ leased ──▶ ready ──▶ sending ──▶ ended ──▶ recorded
 *                  │ ╲        │          │       ╱  │
 *                  │  ╲───────│──────────│──────╱   │
 *                  └──────────┴──────────┴──────────┴─────▶ abandoned
 *
 * queued: a pending row that no worker has leased. leased: this process alone may send the attempt. ready: its body is read.
 * sending: its request is open. ended: its outcome is known, but not in the database. An attempt whose message is gone ends
 * without a request. abandoned: this process gives up the lease, and the row is queued for every worker again.
 */
export const STATES: Readonly<Record<AttemptState, StateRow>> = {
  queued: { lease: 0, place: 0, request: 0, next: ['leased'] },
  leased: { lease: 1, place: 1, request: 0, next: ['ready', 'ended', 'abandoned'] },
  ready: { lease: 1, place: 1, request: 0, next: ['sending', 'abandoned'] },
  sending: { lease: 1, place: 1, request: 1, next: ['ended', 'abandoned'] },
  ended: { lease: 1, place: 0, request: 0, next: ['recorded', 'abandoned'] },
  recorded: { lease: 0, place: 0, request: 0, next: [] },
  abandoned: { lease: 0, place: 0, request: 0, next: [] },
};
