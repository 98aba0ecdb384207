import type { Files } from '../files/files.ts';
import type { StoredMessage } from './envelope.ts';
import type { MessageRecord } from './store.ts';

/** Adds the files to messages of a party. Most have none, which saves the query. */
export async function allWithFiles<Record extends MessageRecord>(
  { files }: { files: Files },
  partyId: bigint,
  records: Record[],
): Promise<(Record & StoredMessage)[]> {
  const having = records.filter(({ fileCount }) => fileCount > 0).map(({ id }) => id);
  const found = having.length === 0 ? undefined : await files.ofMessages(partyId, having);
  return records.map((record) => Object.assign(record, { files: found?.get(record.id) ?? [] }));
}

export async function withFiles(services: { files: Files }, partyId: bigint, record: MessageRecord): Promise<StoredMessage> {
  const [message] = await allWithFiles(services, partyId, [record]);
  return message as StoredMessage;
}
