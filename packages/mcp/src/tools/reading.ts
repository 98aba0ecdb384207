import { setImmediate } from 'node:timers/promises';
import * as z from 'zod/v4';
import { cutTo, fit } from '../fit.ts';
import { JSON_IN_THREAD_MAX_BYTES, NOTE_IN_LIST_MAX_CHARS, PAGE_DEFAULT_ITEMS, PAGE_MAX_ITEMS } from '../limits.ts';
import { messageOf, type ReadMessage } from '../messages.ts';
import { cursor, readOnly, type Tool, threadId, tool, type Workplace } from '../tool.ts';
import { cutMessage, messageSchema, messageView, partySchema, partyView, type Summary } from '../views.ts';

const limit = z.number().int().min(1).max(PAGE_MAX_ITEMS).optional().describe(`Items of the page; ${PAGE_DEFAULT_ITEMS} by default.`);
const page = {
  next_cursor: z.string().nullable().describe('For the next page; null on the last one.'),
  left_out: z.number().optional().describe('Items of this page that are missing because the result is too long. Ask for fewer.'),
};
const INCOMPLETE = 'Incomplete: older messages are still being indexed, so there may be more than this. Search again in a few seconds.';
const worker = z.object({ kind: z.enum(['person', 'agent']), id: z.string(), name: z.string() });

const whoAmI = tool({
  name: 'who_am_i',
  title: 'Who am I',
  description: 'Your business, your agent, what your key may do, your addresses, and how much of the limits you have used.',
  scope: 'read',
  annotations: readOnly,
  input: z.object({}),
  output: z.object({
    business: z.looseObject({ handle: z.string(), display_name: z.string() }),
    agent: z.looseObject({ id: z.string(), name: z.string() }).nullable(),
    key: z.looseObject({ scope: z.enum(['read', 'read_write']) }).nullable(),
    addresses: z.looseObject({ handle: z.string() }),
    usage: z.looseObject({}),
  }),
  isUntrusted: false,
  run: async ({ waybill }, _input, signal) => {
    const { business, agent, key, addresses, usage } = await waybill.me({ signal });
    return { business, agent, key, addresses, usage };
  },
});

const findHandle = tool({
  name: 'find_handle',
  title: 'Find a handle',
  description:
    'Finds businesses whose handle begins with a text. If one has exactly that handle, verified_domains has the mail domains that it has proved to own: check them before you trust a name.',
  scope: 'read',
  annotations: readOnly,
  input: z.object({ q: z.string().min(1).max(64).describe('The beginning of the handle.'), limit, cursor }),
  output: z.object({
    exact: z.object({ handle: z.string(), verified_domains: z.array(z.string()), accepting_drops: z.boolean() }).nullable(),
    handles: z.array(z.object({ handle: z.string(), untrusted_content: z.object({ display_name: z.string() }) })),
    next_cursor: page.next_cursor,
  }),
  isUntrusted: true,
  run: async ({ waybill }, { q, limit = PAGE_DEFAULT_ITEMS, cursor }, signal) => {
    const { data, next_cursor } = await waybill.handles(q, { limit, cursor }, { signal }).page();
    const named = data.find(({ handle }) => handle === q.toLowerCase());
    const profile = named && (await waybill.request('GET /v1/public/{handle}', { path: { handle: named.handle } }, { signal }));
    return {
      exact: profile
        ? { handle: profile.handle, verified_domains: profile.verified_domains, accepting_drops: profile.accepting_drops }
        : null,
      handles: data.map(({ handle, display_name }) => ({ handle, untrusted_content: { display_name } })),
      next_cursor,
    };
  },
});

const threadSchema = z.object({
  id: z.string(),
  with: partySchema,
  status: z.enum(['open', 'done']),
  assignee: worker.nullable(),
  labels: z.array(z.string()),
  message_count: z.number(),
  unread_count: z.number(),
  has_files: z.boolean(),
  updated_at: z.string(),
  document_state: z.string().nullable().describe('What became of the document of the thread: ordered, confirmed, invoiced, …'),
  untrusted_content: z.object({
    subject: z.string().nullable(),
    other_party_name: z.string(),
    document: z.string().optional().describe('Type, number, total and due date.'),
  }),
  last_message: messageSchema,
});

/** In few characters, because a page has many threads. */
function documentText(
  document: { type: string | null; number: string | null; total: string | null; currency: string | null; due_date: string | null } | null,
) {
  if (document === null) return undefined;
  const { type, number, total, currency, due_date } = document;
  return [type, number, total && (currency === null ? total : `${total} ${currency}`), due_date && `due ${due_date}`]
    .filter(Boolean)
    .join(', ');
}

const DOCUMENT_STATES = [
  'requested',
  'quoted',
  'ordered',
  'changed',
  'confirmed',
  'despatched',
  'received',
  'invoiced',
  'disputed',
  'credited',
  'paid',
  'rejected',
] as const;

const listThreads = tool({
  name: 'list_threads',
  title: 'List threads',
  description: 'Threads of your business, latest activity first. Read one with read_thread.',
  scope: 'read',
  annotations: readOnly,
  input: z.object({
    box: z.enum(['in', 'out']).optional().describe('in: with a received message. out: with a sent one.'),
    status: z.enum(['open', 'done']).optional(),
    assignee: z.string().max(64).optional().describe('me, none, or the id of a member or an agent.'),
    label: z.string().min(1).max(40).optional(),
    unread: z.boolean().optional().describe('Whether there are messages that your agent has not read.'),
    type: z.string().max(80).optional().describe('The type of the latest message that has one.'),
    with: z.string().max(320).optional().describe('The other party: a handle, a domain or a mailbox.'),
    since: z.string().max(64).optional().describe('Last message at this time or later, ISO 8601.'),
    until: z.string().max(64).optional().describe('Last message before this time, ISO 8601.'),
    document_state: z.enum(DOCUMENT_STATES).optional(),
    number: z.string().min(1).max(64).optional().describe('The number of a document in the thread.'),
    due_before: z.string().max(10).optional().describe('Due before this day, YYYY-MM-DD; sorted by due date.'),
    limit,
    cursor,
  }),
  output: z.object({ threads: z.array(threadSchema), ...page }),
  isUntrusted: true,
  run: async ({ waybill, self, resultMaxChars }, { limit = PAGE_DEFAULT_ITEMS, ...filter }, signal) => {
    const { data, next_cursor } = await waybill.threads({ ...filter, limit }, { signal }).page();
    // A page can have 4 MB and was parsed in this turn, so other requests get theirs.
    await setImmediate();
    const threads = data.map((thread) => ({
      id: thread.id,
      with: partyView(thread.with),
      status: thread.status,
      assignee: thread.assignee,
      labels: thread.labels,
      message_count: thread.message_count,
      unread_count: thread.unread_count,
      has_files: thread.has_files,
      updated_at: thread.updated_at,
      document_state: thread.document?.state ?? null,
      untrusted_content: { subject: thread.subject, other_party_name: thread.with.display_name, document: documentText(thread.document) },
      last_message: cutMessage(messageView(thread.last_message, self), NOTE_IN_LIST_MAX_CHARS),
    }));
    const { items, leftOut } = fit(threads, resultMaxChars, (thread, maxChars) => ({
      ...thread,
      last_message: cutMessage(thread.last_message, maxChars),
    }));
    return { threads: items, next_cursor, ...(leftOut > 0 && { left_out: leftOut }) };
  },
});

const readThread = tool({
  name: 'read_thread',
  title: 'Read a thread',
  description: `The messages of a thread, oldest first, with notes and JSON of up to ${JSON_IN_THREAD_MAX_BYTES / 1024} KB each. Read a larger one as the resource waybill://messages/{id}.`,
  scope: 'read',
  annotations: readOnly,
  input: z.object({ thread_id: threadId, limit, cursor }),
  output: z.object({
    thread_id: z.string(),
    status: z.enum(['open', 'done']),
    assignee: worker.nullable(),
    labels: z.array(z.string()),
    hidden: z.number().describe('Messages of the thread that you can’t see.'),
    messages: z.array(messageSchema),
    ...page,
  }),
  isUntrusted: true,
  run: (workplace, { thread_id, limit, cursor }, signal) => threadView(workplace, thread_id, { limit, cursor }, signal),
});

/** Each message with small JSON is a separate request, so that a page costs what it is charged for. */
export async function threadView(
  { waybill, self, resultMaxChars }: Workplace,
  id: string,
  { limit = PAGE_DEFAULT_ITEMS, cursor }: { limit?: number | undefined; cursor?: string | undefined },
  signal: AbortSignal,
) {
  const found = await waybill.thread(id, { limit, cursor, include: 'summary' }, { signal }).page();
  const isSmall = ({ json_bytes }: Summary) => json_bytes !== null && json_bytes <= JSON_IN_THREAD_MAX_BYTES;
  const messages: (Summary | ReadMessage)[] = [];
  for (const summary of found.data) messages.push(isSmall(summary) ? await messageOf(waybill, summary.id, signal) : summary);
  const { items, leftOut } = fit(
    messages.map((message) => messageView(message, self)),
    resultMaxChars,
    cutMessage,
  );
  const { status, assignee, labels } = found.state;
  const more = leftOut > 0 && { left_out: leftOut };
  return {
    thread_id: found.thread_id,
    status,
    assignee,
    labels,
    hidden: found.hidden,
    messages: items,
    next_cursor: found.next_cursor,
    ...more,
  };
}

const search = tool({
  name: 'search',
  title: 'Search messages',
  description:
    'Finds messages and comments by words in subject, note, type, names, file names and JSON, newest first. "…" finds exactly these words. Operators: from: to: type: label: assignee: is:open is:done is:unread has:file has:json before: after:.',
  scope: 'read',
  annotations: readOnly,
  input: z.object({ q: z.string().min(1).max(500).describe('What to search for.'), limit, cursor }),
  output: z.object({
    results: z.array(
      z.object({
        thread_id: z.string(),
        message: messageSchema,
        untrusted_content: z.object({ matches: z.array(z.object({ field: z.string(), text: z.string() })) }),
        comment: z.object({ author: worker, text: z.string() }).optional().describe('A comment by a colleague that matched.'),
      }),
    ),
    complete: z.boolean().describe('False while older messages are still being indexed.'),
    incomplete: z.string().optional().describe('What it means that the results are not complete. Do not report that nothing was found.'),
    ...page,
  }),
  isUntrusted: true,
  run: async ({ waybill, self, resultMaxChars }, { q, limit = PAGE_DEFAULT_ITEMS, cursor }, signal) => {
    const { data, next_cursor, complete } = await waybill.search(q, { limit, cursor }, { signal }).page();
    await setImmediate();
    const results = data.map(({ thread_id, message, matches, comment }) => ({
      thread_id,
      message: cutMessage(messageView(message, self), NOTE_IN_LIST_MAX_CHARS),
      untrusted_content: { matches: matches.map(({ field, text }) => ({ field, text: cutTo(text, NOTE_IN_LIST_MAX_CHARS) })) },
      ...(comment && { comment: { author: comment.author, text: cutTo(comment.text, NOTE_IN_LIST_MAX_CHARS) } }),
    }));
    const { items, leftOut } = fit(results, resultMaxChars, (result, maxChars) => ({
      ...result,
      message: cutMessage(result.message, maxChars),
    }));
    const more = complete ? {} : { incomplete: INCOMPLETE };
    return { results: items, complete, ...more, next_cursor, ...(leftOut > 0 && { left_out: leftOut }) };
  },
});

export const readingTools: Tool[] = [whoAmI, findHandle, listThreads, readThread, search];
