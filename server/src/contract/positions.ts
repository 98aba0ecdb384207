/** A position in a ledger is the millisecond of delivery times this, plus a counter. */
export const POSITIONS_PER_MS = 4096n;

export function topicOf(partyId: bigint): string {
  return `ledger:${partyId}`;
}
