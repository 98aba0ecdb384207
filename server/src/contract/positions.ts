/** A position in a ledger is the millisecond of delivery times this, plus a counter. */
export const POSITIONS_PER_MS = 4096n;

/** The topic of new entries in a party's ledger (platform/postgres/topics.ts). */
export function topicOf(partyId: bigint): string {
  return `ledger:${partyId}`;
}
