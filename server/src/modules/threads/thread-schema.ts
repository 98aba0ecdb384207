import { DOCUMENT_NUMBER_MAX_CHARS, DOCUMENT_STATES } from '@waybill/documents';
import { Type } from 'typebox';
import { PartySchema, SummarySchema } from '../../contract/envelope.ts';
import { formatId } from '../../contract/ids.ts';
import { SEGMENT_MAX_CHARS, THREAD_LABEL_MAX_CHARS, UNREAD_COUNT_MAX } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import { ColleagueSchema, ThreadDocumentSchema } from '../../contract/threads.ts';
import type { ThreadState } from './change-threads.ts';
import { colleagueView } from './colleagues.ts';
import type { Thread } from './list-threads.ts';
import type { Count } from './thread-counts.ts';

export const ThreadSchema = Type.Object(
  {
    id: Type.String({ description: 'thr_ id' }),
    subject: Type.Union([Type.String(), Type.Null()], { description: 'The first one that was given in the thread.' }),
    parties: Type.Array(PartySchema, { description: 'You and the other party.' }),
    with: PartySchema,
    last_message: SummarySchema,
    message_count: Type.Integer(),
    unread_count: Type.Integer({
      description: `Received messages that you have not read: yours as a person, or your agent’s. ${UNREAD_COUNT_MAX} stands for any larger number, too.`,
    }),
    status: Type.Enum(['open', 'done'], { description: 'A received message opens a thread again that was done.' }),
    assignee: Type.Union([ColleagueSchema, Type.Null()]),
    labels: Type.Array(Type.String()),
    has_files: Type.Boolean({ description: 'Whether any message has files.' }),
    failed_schema: Type.Boolean({ description: 'Whether any message failed the schema of its recipient.' }),
    type: Type.Union([Type.String(), Type.Null()], { description: 'Of the latest message that has one.' }),
    document: Type.Union([ThreadDocumentSchema, Type.Null()], { description: 'About a second behind the messages. Null: there is none.' }),
    updated_at: Type.String({ format: 'date-time', description: 'When the last message came.' }),
  },
  { $id: 'Thread', ...closed, description: 'A thread, with what your business has decided about it. The other party sees none of that.' },
);

export const StateSchema = Type.Object(
  {
    subject: Type.Union([Type.String(), Type.Null()]),
    message_count: Type.Integer(),
    unread_count: Type.Integer(),
    status: Type.Enum(['open', 'done']),
    assignee: Type.Union([ColleagueSchema, Type.Null()]),
    labels: Type.Array(Type.String()),
    document: Type.Union([ThreadDocumentSchema, Type.Null()]),
  },
  { $id: 'ThreadState', ...closed, description: 'What your business has decided about a thread. The other party does not see it.' },
);

export const CountSchema = Type.Object(
  { count: Type.Integer(), capped: Type.Boolean({ description: 'Whether there may be more.' }) },
  { $id: 'ThreadCount', ...closed },
);

/** Longer than any ISO 8601 time, and than any total that is compared. */
const TIME_MAX_CHARS = 64;
const DAY_MAX_CHARS = 10;

export const filterFields = {
  box: Type.Optional(Type.Enum(['in', 'out'], { description: 'in: with a received message. out: with a sent one.' })),
  status: Type.Optional(Type.Enum(['open', 'done'])),
  assignee: Type.Optional(Type.String({ maxLength: 64, description: 'me, none, or the id of a member or an agent.' })),
  label: Type.Optional(Type.String({ minLength: 1, maxLength: THREAD_LABEL_MAX_CHARS })),
  unread: Type.Optional(Type.Boolean({ description: 'Whether there are messages that you have not read.' })),
  type: Type.Optional(Type.String({ maxLength: 1_000, description: 'That of the latest message that has one.' })),
  with: Type.Optional(Type.String({ maxLength: 320, description: 'The other party: a handle, a domain or a mailbox.' })),
  segment: Type.Optional(
    Type.String({ maxLength: 2 * SEGMENT_MAX_CHARS + 2, description: 'The segment that the latest message with one was addressed to.' }),
  ),
  failed_schema: Type.Optional(Type.Boolean({ description: 'Whether any message failed the schema of its recipient.' })),
  since: Type.Optional(Type.String({ maxLength: TIME_MAX_CHARS, description: 'Last message at this time or later. ISO 8601.' })),
  until: Type.Optional(Type.String({ maxLength: TIME_MAX_CHARS, description: 'Last message before this time. ISO 8601.' })),
  document_state: Type.Optional(Type.Enum([...DOCUMENT_STATES], { description: 'The state of the document of the thread.' })),
  number: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: DOCUMENT_NUMBER_MAX_CHARS,
      description: 'The number of any document in the thread. Case does not matter.',
    }),
  ),
  due_after: Type.Optional(
    Type.String({
      maxLength: DAY_MAX_CHARS,
      description: 'Due after this day, such as 2026-01-31, or so many days from today (UTC), such as 7d.',
    }),
  ),
  due_before: Type.Optional(Type.String({ maxLength: DAY_MAX_CHARS, description: 'Due before this day.' })),
  total_min: Type.Optional(Type.String({ maxLength: TIME_MAX_CHARS, description: 'This total or more, whatever its currency.' })),
  total_max: Type.Optional(Type.String({ maxLength: TIME_MAX_CHARS, description: 'This total or less, whatever its currency.' })),
  sort: Type.Optional(
    Type.Enum(['updated', 'due_date', 'total', 'number'], {
      description:
        'What the list is sorted by; threads without it are left out. Totals are compared as numbers, whatever their currency. Default: `due_date` with `due_after` or `due_before`, `total` with `total_min` or `total_max`, else `updated`.',
    }),
  ),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'Default: asc by due_date and number, desc by updated and total.' })),
};

export function stateView(state: ThreadState) {
  return {
    subject: state.subject,
    message_count: state.messageCount,
    unread_count: state.unreadCount,
    status: state.isDone ? 'done' : 'open',
    assignee: state.assignee && colleagueView(state.assignee),
    labels: state.labels,
    document: state.document,
  };
}

export function countView({ count, isCapped }: Count) {
  return { count, capped: isCapped };
}

/** The JSON is spliced from text: `lastMessage` is an envelope without `json`. */
export function threadJson(thread: Thread, lastMessage: string): string {
  const before = { id: formatId('thr', thread.id), subject: thread.subject, parties: thread.parties, with: thread.with };
  const after = {
    message_count: thread.messageCount,
    unread_count: thread.unreadCount,
    status: thread.isDone ? 'done' : 'open',
    assignee: thread.assignee && colleagueView(thread.assignee),
    labels: thread.labels,
    has_files: thread.hasFiles,
    failed_schema: thread.failedSchema,
    type: thread.type,
    document: thread.document,
    updated_at: new Date(thread.updatedMs).toISOString(),
  };
  return `${JSON.stringify(before).slice(0, -1)},"last_message":${lastMessage},${JSON.stringify(after).slice(1)}`;
}
