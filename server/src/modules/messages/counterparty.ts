import type { Database } from '../../platform/postgres/postgres.ts';
import { findJoined } from '../joined-history/joined-history.ts';
import { findReceivedFrom } from './store.ts';

/** The party whose ledger now has the other side of a received message. A party without a handle may have joined a business since. */
export async function counterpartyNow(database: Database, partyId: bigint, messageId: string): Promise<bigint | undefined> {
  const received = await findReceivedFrom(database.of(partyId), partyId, messageId);
  return received && ((await findJoined(database, received.otherPartyId, received.threadId, messageId)) ?? received.otherPartyId);
}
