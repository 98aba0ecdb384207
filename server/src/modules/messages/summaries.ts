import { type EnvelopeServices, summaryOf } from './envelopes.ts';
import { messagesOf } from './list-store.ts';
import { allWithFiles } from './with-files.ts';

/** Messages whose files are read together: each can have many. */
const AT_ONCE = 20;

/** Where a message is stored. */
export interface MessageKey {
  senderId: bigint;
  messageId: string;
}

/**
 * Envelopes with the size of `json` in its place, of messages in a party's ledger, in their order. Ends early, but not before the first,
 * when they have more than `maxBytes` together.
 */
export async function summariesOf(
  services: EnvelopeServices,
  partyId: bigint,
  keys: readonly MessageKey[],
  maxBytes: number,
): Promise<string[]> {
  if (keys.length === 0) return [];
  const messages = await messagesOf(services.database.of(partyId), keys, 'summary');
  const summaries: string[] = [];
  let bytes = 0;
  for (let i = 0; i < messages.length; i += AT_ONCE)
    for (const message of await allWithFiles(services, partyId, messages.slice(i, i + AT_ONCE))) {
      const summary = await summaryOf(message, services);
      bytes += summary.length;
      if (summaries.length > 0 && bytes > maxBytes) return summaries;
      summaries.push(summary);
    }
  return summaries;
}
