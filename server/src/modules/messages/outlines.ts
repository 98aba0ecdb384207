import type { Database } from '../../platform/postgres/postgres.ts';
import { findOutlines } from './store.ts';

/** What tells a message apart in a list; `sender` and `recipient` are JSON text of the moment of delivery. */
export interface Outline {
  type: string | null;
  subject: string | null;
  sender: string;
  recipient: string;
}

/** The outlines of messages in a party's ledger, by id. Those that are not in it are left out. */
export async function outlinesOf(database: Database, partyId: bigint, messageIds: readonly string[]): Promise<Map<string, Outline>> {
  return messageIds.length === 0 ? new Map() : findOutlines(database, partyId, messageIds);
}
