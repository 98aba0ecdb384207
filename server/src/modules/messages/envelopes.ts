import { Breaks } from '../../platform/fairness/breaks.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { Files } from '../files/files.ts';
import { envelopeJson, type StoredMessage, summaryJson } from './envelope.ts';
import { findReceived, type MessageRecord, type Received } from './store.ts';
import { allWithFiles } from './with-files.ts';

export interface EnvelopeServices {
  database: Database;
  files: Files;
  publicUrl: string;
}

export async function envelopeOf(
  message: StoredMessage,
  { files, publicUrl }: Pick<EnvelopeServices, 'files' | 'publicUrl'>,
  readerId: bigint,
): Promise<string> {
  return envelopeJson(message, { publicUrl, readerId, downloadUrls: await downloadUrls(files, message) });
}

export async function summaryOf(
  message: StoredMessage & { jsonBytes: number | null },
  { files, publicUrl }: Pick<EnvelopeServices, 'files' | 'publicUrl'>,
  readerId: bigint,
): Promise<string> {
  return summaryJson(message, message.jsonBytes, { publicUrl, readerId, downloadUrls: await downloadUrls(files, message) });
}

/** Signs URLs with breaks for other requests: a hundred URLs with long names take as long as others may wait. */
async function downloadUrls(files: Files, message: StoredMessage): Promise<string[]> {
  if (message.files.length === 0) return [];
  const breaks = new Breaks();
  const urls: string[] = [];
  for (const file of message.files) {
    await breaks.takeIfDue();
    urls.push((await files.downloadUrl(file)).url);
  }
  return urls;
}

export async function receivedEnvelopes(services: EnvelopeServices, wanted: readonly Received[]): Promise<(string | undefined)[]> {
  const found = await services.database.inShards(wanted, findReceived);
  const ofParties = new Map<bigint, Map<string, string>>();
  const breaks = new Breaks();
  for (const [partyId, items] of Map.groupBy(found, (item) => item.partyId)) {
    const messages = await allWithFiles(
      services,
      partyId,
      items.map(({ message }): MessageRecord => message),
    );
    const envelopes = new Map<string, string>();
    for (const message of messages) {
      await breaks.takeIfDue();
      // Most messages have no files, and then there is nothing to wait for.
      const hasFiles = message.files.length > 0;
      const shown = { publicUrl: services.publicUrl, downloadUrls: [], readerId: partyId };
      envelopes.set(message.id, hasFiles ? await envelopeOf(message, services, partyId) : envelopeJson(message, shown));
    }
    ofParties.set(partyId, envelopes);
  }
  return wanted.map(({ partyId, messageId }) => ofParties.get(partyId)?.get(messageId));
}
