import { type EnvelopeServices, summaryOf } from './envelopes.ts';
import { entriesOf, type MessageKey } from './list-store.ts';
import { messagesIn } from './page-body.ts';

export type { MessageKey } from './list-store.ts';

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
  const entries = await entriesOf(services.database.of(partyId), partyId, keys, 'summary');
  const summaries: string[] = [];
  let bytes = 0;
  for await (const message of messagesIn(services, { readerId: partyId, detail: 'summary', entries })) {
    const summary = await summaryOf(message, services);
    bytes += Buffer.byteLength(summary);
    if (summaries.length > 0 && bytes > maxBytes) return summaries;
    summaries.push(summary);
  }
  return summaries;
}
