import type { Actor, Colleague, Party, Thread } from '../../api/schema.ts';

export interface Decisions {
  status: Thread['status'];
  assignee: Colleague | null;
  labels: string[];
  unread_count: number;
}

/** The data of a row. Whole messages would fill the memory in a long list. */
export interface ThreadRow extends Decisions {
  id: string;
  lastId: string;
  subject: string | null;
  with: Party;
  summary: string;
  sentBy: Actor | null;
  type: string | null;
  segment: string | null;
  messages: number;
  hasFiles: boolean;
  hasFailed: boolean;
  document: Thread['document'];
  at: string;
}

const SUMMARY_CHARS = 160;

export function rowOf(thread: Thread): ThreadRow {
  const { id, subject, last_message: last, message_count, unread_count, status, assignee, labels, has_files, failed_schema } = thread;
  const isReceived = last.to.party.kind === 'handle' && last.to.party.handle === ownHandleIn(thread);
  const ownSubject = last.subject !== null && last.subject !== subject ? `${last.subject} ` : '';
  return {
    id,
    lastId: last.id,
    subject,
    with: thread.with,
    summary: `${ownSubject}${last.note ?? ''}`.slice(0, SUMMARY_CHARS).replaceAll(/\s+/g, ' '),
    sentBy: isReceived ? null : last.from.actor,
    type: thread.type,
    segment: last.to.segment ?? null,
    messages: message_count,
    unread_count,
    status,
    assignee,
    labels,
    hasFiles: has_files,
    hasFailed: failed_schema,
    document: thread.document,
    at: thread.updated_at,
  };
}

/** The first party of a thread is the business that reads it. */
function ownHandleIn({ parties: [own] }: Thread): string | undefined {
  return own?.kind === 'handle' ? own.handle : undefined;
}

/** Longer threads are folded, except the newest message. */
export const UNFOLDED_MAX = 4;

/** The message to scroll to in a long thread. A short one is read from the top. */
export const newestOf = ({ messages, lastId }: ThreadRow): string => (messages > UNFOLDED_MAX ? lastId : '');
