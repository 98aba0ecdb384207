import type { Database } from '../../platform/postgres/postgres.ts';
import { findOutlines } from './store.ts';

export interface Outline {
  type: string | null;
  subject: string | null;
  sender: string;
  recipient: string;
}

export async function outlinesOf(database: Database, partyId: bigint, messageIds: readonly string[]): Promise<Map<string, Outline>> {
  return messageIds.length === 0 ? new Map() : findOutlines(database, partyId, messageIds);
}
