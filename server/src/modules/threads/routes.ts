import { Type } from 'typebox';
import { EnvelopeSchema, SummarySchema } from '../../contract/envelope.ts';
import {
  LABELS_PER_THREAD_MAX,
  THREAD_COUNT_MAX,
  THREAD_LABEL_MAX_CHARS,
  THREADS_PER_CHANGE_MAX,
  UNIT_THREADS,
} from '../../contract/limits.ts';
import { closed, endsEarly, pageSchema, pagingFields } from '../../contract/paging.ts';
import { ColleagueSchema } from '../../contract/threads.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { pageBody } from '../messages/page-body.ts';
import { type ReadServices, readThread } from '../messages/read-messages.ts';
import { changeThreads, listAssignees, listLabels, markRead, stateOf } from './change-threads.ts';
import { colleagueView } from './colleagues.ts';
import type { IndexServices } from './ensure-indexed.ts';
import { listThreads, type ThreadEntry, type ThreadServices } from './list-threads.ts';
import { BUILT_IN_VIEWS, rowsOf, type ThreadCounts } from './thread-counts.ts';
import { CountSchema, countView, filterFields, StateSchema, stateView, ThreadSchema, threadJson } from './thread-schema.ts';

const { endpoint } = endpointsFor<ThreadServices & IndexServices & ReadServices & { threadCounts: ThreadCounts }>();

const idParams = Type.Object({ id: Type.String({ description: 'thr_ id' }) });
const bodyErrors = ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type'] as const;

export const list = endpoint({
  summary: 'List threads, latest activity first',
  description:
    'One row for each thread that you have a message in. New messages are here within a second. A page can have fewer threads than `limit`, even none, and still a `next_cursor`, where few threads meet several filters.',
  query: Type.Object({ ...pagingFields, ...filterFields }, closed),
  success: { status: 200, description: endsEarly('A page of threads.'), schema: pageSchema(ThreadSchema) },
  errors: ['validation_error'],
  handle: async (context, call) => {
    const page = await listThreads(context, call.caller, call.query, call.spend);
    const item = (lastMessage: string, { thread }: ThreadEntry) => threadJson(thread, lastMessage);
    return { body: await pageBody(context, page, call, { item }) };
  },
});

const listed = Type.Union([EnvelopeSchema, SummarySchema], { description: 'A message; with `include=summary`, its summary.' });

export const getOne = endpoint({
  summary: 'List the messages of a thread, oldest first',
  params: idParams,
  query: Type.Object(
    {
      ...pagingFields,
      include: Type.Optional(
        Type.Enum(['summary'], { description: 'summary: messages without `json`, with its size in `json_bytes` instead.' }),
      ),
    },
    closed,
  ),
  success: {
    status: 200,
    description: endsEarly('A page of messages, and the state of the thread.'),
    schema: pageSchema(
      listed,
      { thread_id: Type.String() },
      { hidden: Type.Integer({ description: 'The number of messages in the thread that you can’t see.' }), state: StateSchema },
    ),
  },
  errors: ['not_found', 'validation_error'],
  handle: async (context, call) => {
    const page = await readThread(context, call.caller.business, call.params.id, call.query);
    const state = stateView(await stateOf(context, call.caller, call.params.id));
    const after = `,"hidden":${page.hidden},"state":${JSON.stringify(state)}}`;
    return { body: await pageBody(context, page, call, { before: `{"thread_id":"${page.threadId}",`, after }) };
  },
});

const labels = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 4 * THREAD_LABEL_MAX_CHARS }), { maxItems: LABELS_PER_THREAD_MAX, description }));
const changeFields = {
  status: Type.Optional(Type.Enum(['open', 'done'])),
  assignee: Type.Optional(
    Type.Union([Type.String({ maxLength: 64 }), Type.Null()], {
      description: 'The id of a member or an agent, who is notified; `me`; or null for nobody.',
    }),
  ),
  labels: labels('In place of all labels that the thread has.'),
  add_labels: labels('Added to those that the thread has.'),
  remove_labels: labels('Taken away from the thread.'),
  unread: Type.Optional(Type.Boolean({ description: 'false: you have read the thread. true: the last received message is new to you.' })),
};

export const change = endpoint({
  summary: 'Finish, assign or label a thread',
  description: 'The other party never sees any of this. A received message opens a thread again that is done.',
  params: idParams,
  body: Type.Object(changeFields, { ...closed, minProperties: 1 }),
  success: { status: 200, description: 'The state of the thread.', schema: StateSchema },
  errors: [...bodyErrors, 'not_found', 'conflict'],
  handle: async (context, { caller, params, body }) => {
    await changeThreads(context, caller, [params.id], body);
    return { body: stateView(await stateOf(context, caller, params.id)) };
  },
});

export const changeMany = endpoint({
  summary: 'Finish, assign or label several threads',
  description: `Changes all of them, or none: then \`details\` has an error for each thread that was not found. Each ${UNIT_THREADS} threads count as a request.`,
  body: Type.Object(
    {
      ids: Type.Array(Type.String({ maxLength: 64, description: 'thr_ id' }), { minItems: 1, maxItems: THREADS_PER_CHANGE_MAX }),
      ...changeFields,
    },
    { ...closed, minProperties: 2 },
  ),
  success: { status: 200, description: 'All are changed.', schema: Type.Object({ changed: Type.Integer() }, closed) },
  errors: [...bodyErrors, 'not_found', 'conflict'],
  handle: async (context, { caller, body: { ids, ...fields }, spend }) => {
    // Before the change, because they are looked up even if it is refused.
    spend({ requests: Math.ceil(ids.length / UNIT_THREADS) - 1 });
    return { body: { changed: (await changeThreads(context, caller, ids, fields)).length } };
  },
});

export const read = endpoint({
  summary: 'Mark a thread as read',
  description: 'For you alone: you as a person, or your agent.',
  params: idParams,
  body: Type.Object(
    { unread: Type.Optional(Type.Boolean({ description: 'true: the last received message is new to you again.' })) },
    closed,
  ),
  success: { status: 204, description: 'Done.' },
  errors: [...bodyErrors, 'not_found'],
  handle: async (context, { caller, params, body }) => {
    await markRead(context, caller, params.id, body.unread ?? false);
    return { status: 204 };
  },
});

export const counts = endpoint({
  summary: 'Count threads',
  description: `Of the views that every business has. ${THREAD_COUNT_MAX.toLocaleString('en')} is the largest count; \`capped\` says that there may be more.`,
  success: {
    status: 200,
    description: 'The counts.',
    schema: Type.Object(
      {
        open: CountSchema,
        mine: CountSchema,
        unassigned: CountSchema,
        unread: CountSchema,
        failed_schema: CountSchema,
        done: CountSchema,
        sent: CountSchema,
        all: CountSchema,
      },
      closed,
    ),
  },
  errors: [],
  handle: async ({ threadCounts }, { caller, spend }) => {
    const names = Object.keys(BUILT_IN_VIEWS);
    const found = await threadCounts.of(caller, Object.values(BUILT_IN_VIEWS));
    spend({ rows: rowsOf(found) });
    return { body: Object.fromEntries(found.map((count, i) => [names[i], countView(count)])) };
  },
});

export const labelList = endpoint({
  summary: 'List the labels of threads',
  success: {
    status: 200,
    description: 'All labels that threads of your business have, in alphabetical order.',
    schema: Type.Object({ data: Type.Array(Type.Object({ label: Type.String() }, closed)) }, closed),
  },
  errors: [],
  handle: async ({ database }, { caller }) => ({
    body: { data: (await listLabels(database, caller)).map((label) => ({ label })) },
  }),
});

export const assignees = endpoint({
  summary: 'List those whom threads can be assigned to',
  success: {
    status: 200,
    description: 'All members and agents of your business. Comments can mention them.',
    schema: Type.Object({ data: Type.Array(ColleagueSchema) }, closed),
  },
  errors: [],
  handle: async ({ database }, { caller }) => ({ body: { data: (await listAssignees(database, caller)).map(colleagueView) } }),
});
