import type { Database } from '../../platform/postgres/postgres.ts';
import { findJoined } from '../joined-history/joined-history.ts';
import { findEntry } from './store.ts';

/** The party whose inbox now has a message of this party: a recipient without a handle may have joined a business since. */
export async function recipientNow(database: Database, partyId: bigint, messageId: string): Promise<bigint | undefined> {
  const entry = await findEntry(database.of(partyId), partyId, messageId);
  if (!entry?.isSent) return entry && partyId;
  return (await findJoined(database, entry.counterpartyId, entry.threadId, messageId)) ?? entry.counterpartyId;
}
