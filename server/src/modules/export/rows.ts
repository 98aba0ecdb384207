import { formatId } from '../../contract/ids.ts';
import { TEXT_NAMES } from '../../contract/message-fields.ts';
import { type EnvelopeServices, envelopeOf, summaryOf } from '../messages/envelopes.ts';
import type { Loaded } from '../messages/page-body.ts';
import type { Thread, ThreadWithMessage } from '../threads/list-threads.ts';
import { threadJson } from '../threads/thread-schema.ts';
import { csvRow, csvRowWithLong } from './csv.ts';

interface Named {
  display_name: string;
  handle?: string;
  domain?: string;
  email?: string;
}

export interface RowFormat<Item> {
  head: string;
  row(item: Item): Promise<string[] | Generator<string>>;
}

/** `json` may have line breaks between its values, which a line of NDJSON can't have. A space means the same there. */
const line = (json: string) => `${json.replace(/[\r\n]+/g, ' ')}\n`;

export function messagesAsLines(services: EnvelopeServices, isSummary: boolean, readerId: bigint): RowFormat<Loaded> {
  const written = isSummary ? summaryOf : envelopeOf;
  return { head: '', row: async (message) => [line(await written(message, services, readerId))] };
}

export function threadsAsLines(services: EnvelopeServices, readerId: bigint): RowFormat<ThreadWithMessage> {
  return { head: '', row: async ({ thread, lastMessage }) => [line(threadJson(thread, await summaryOf(lastMessage, services, readerId)))] };
}

const MESSAGE_COLUMNS = [
  ...['id', 'thread_id', 'in_reply_to', 'received_at', 'from', 'from_name', 'from_actor', 'from_email', 'to', 'to_name', 'to_segment'],
  ...[...TEXT_NAMES, 'validation', 'files', 'content_hash', 'json_bytes', 'json'],
];

export function messagesAsCsv(isSummary: boolean): RowFormat<Loaded> {
  return {
    head: csvRow(MESSAGE_COLUMNS),
    row: async (message) => {
      const from: { party: Named; actor: { name: string; email: string | null } } = JSON.parse(message.sender);
      const to: { party: Named; segment?: string | null } = JSON.parse(message.recipient);
      const cells = [
        formatId('msg', message.id),
        formatId('thr', message.threadId),
        message.inReplyTo && formatId('msg', message.inReplyTo),
        new Date(message.receivedMs).toISOString(),
        nameOf(from.party),
        from.party.display_name,
        from.actor.name,
        from.actor.email,
        nameOf(to.party),
        to.party.display_name,
        to.segment,
        ...TEXT_NAMES.map((name) => message[name]),
        message.validation,
        message.files.map(({ filename }) => filename).join('; '),
        `sha256:${message.contentHash.toString('hex')}`,
        message.jsonBytes,
      ];
      return csvRowWithLong(cells, isSummary ? null : message.json);
    },
  };
}

const THREAD_COLUMNS = [
  ...['id', 'with', 'with_name', 'subject', 'type', 'status', 'assignee', 'labels', 'message_count', 'unread_count'],
  ...['has_files', 'failed_schema', 'updated_at', 'document_state', 'document_type', 'document_number', 'total', 'currency', 'due_date'],
];

export const THREADS_AS_CSV: RowFormat<Thread> = {
  head: csvRow(THREAD_COLUMNS),
  row: async (thread) => [
    csvRow([
      formatId('thr', thread.id),
      nameOf(thread.with),
      thread.with.display_name,
      thread.subject,
      thread.type,
      thread.isDone ? 'done' : 'open',
      thread.assignee?.name,
      thread.labels.join('; '),
      thread.messageCount,
      thread.unreadCount,
      String(thread.hasFiles),
      String(thread.failedSchema),
      new Date(thread.updatedMs).toISOString(),
      thread.document?.state,
      thread.document?.type,
      thread.document?.number,
      thread.document?.total,
      thread.document?.currency,
      thread.document?.due_date,
    ]),
  ],
};

function nameOf({ handle, domain, email }: Partial<Named>): string {
  return handle ?? domain ?? email ?? '';
}
