import { setImmediate } from 'node:timers/promises';
import { JsonText } from '@waybill/client';
import * as z from 'zod/v4';
import { cutTo, fit } from '../fit.ts';
import { JSON_VALUE_MAX_LEVELS } from '../limits.ts';
import { invalidArgument, isJson, messageId, type Tool, threadId, tool, type Workplace } from '../tool.ts';

const sends = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true };
const worker = z.object({ kind: z.enum(['person', 'agent']), id: z.string(), name: z.string() });

const jsonFields = {
  json: z
    .unknown()
    .optional()
    .describe(`Any JSON value of up to ${JSON_VALUE_MAX_LEVELS} levels. Numbers beyond 2^53 lose digits: give json_text for those.`),
  json_text: z.string().optional().describe('In place of json: JSON as text, which is carried byte for byte.'),
};
const contentFields = {
  type: z.string().max(80).optional().describe('Your label for this kind of message, such as order or invoice.'),
  subject: z.string().max(200).optional().describe('A line for people.'),
  note: z.string().max(10_000).optional().describe('A text for people.'),
  ...jsonFields,
  upload_ids: z.array(z.string().max(64)).max(100).optional().describe('Ids of files that were uploaded with POST /v1/uploads.'),
  idempotency_key: z
    .string()
    .regex(/^[!-~]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
    .describe('A new one for each message that you mean to send; the same one when you try again.'),
};
const acknowledgement = z
  .object({
    status: z.enum(['accepted', 'rejected', 'processed']),
    reason: z.string().max(1_000).optional().describe('A text for the sender.'),
  })
  .optional()
  .describe(
    'Also tells the sender what becomes of the message. rejected and processed are final. Nothing is sent if it contradicts what was said before.',
  );
const delivered = z.object({
  id: z.string(),
  thread_id: z.string(),
  received_at: z.string(),
  receipt_url: z.string().describe('A public page that proves the delivery.'),
  body_differs: z
    .literal(true)
    .optional()
    .describe('Nothing was sent: the idempotency_key belongs to another message, which this is. Use a new key for a new message.'),
  validation: z
    .object({ status: z.enum(['passed', 'failed', 'not_applicable']) })
    .describe('By the schema of the recipient’s inbox. Why it failed is said only by check_schema, if the schema is published.'),
});

type Content = z.infer<z.ZodObject<typeof contentFields>>;

type Address = { to: string } | { in_reply_to: string; acknowledge?: z.infer<typeof acknowledgement> };

async function send({ waybill }: Workplace, address: Address, content: Content, signal: AbortSignal) {
  const { json, json_text, upload_ids, idempotency_key, ...fields } = content;
  await refuseBadJson(content);
  const request = { ...address, ...fields, json, jsonText: json_text, files: upload_ids };
  const message = await waybill.send(request, { idempotencyKey: idempotency_key, signal });
  const { id, thread_id, received_at, receipt_url, validation, bodyDiffers } = message;
  const delivery = { id, thread_id, received_at, receipt_url, validation: { status: validation.status } };
  return bodyDiffers ? { ...delivery, body_differs: true as const } : delivery;
}

/** Text that is not JSON could add fields to the body. It takes some milliseconds to check, and the client then checks it again. */
async function refuseBadJson({ json, json_text }: { json?: unknown; json_text?: string | undefined }): Promise<void> {
  if (isDeeper(json, JSON_VALUE_MAX_LEVELS))
    throw invalidArgument('json', `is nested deeper than ${JSON_VALUE_MAX_LEVELS} levels: give it as json_text`);
  if (json_text === undefined) return;
  if (json !== undefined) throw invalidArgument('json_text', 'can’t be given along with json');
  if (!isJson(json_text)) throw invalidArgument('json_text', 'must be JSON');
  await setImmediate();
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const isChildDeeper = (child: unknown) => isDeeper(child, levels - 1);
  return Array.isArray(value) ? value.some(isChildDeeper) : Object.values(value).some(isChildDeeper);
}

const sendMessage = tool({
  name: 'send_message',
  title: 'Send a message',
  description:
    'Sends a message to another business. It can’t be taken back. A result means that it is in the recipient’s inbox. Check JSON with check_schema first if the recipient publishes a schema.',
  scope: 'read_write',
  annotations: sends,
  input: z.object({
    to: z.string().min(1).max(320).describe('A handle, or <handle>/<segment> for a member or agent inside it.'),
    ...contentFields,
  }),
  output: delivered,
  isUntrusted: false,
  run: (workplace, { to, ...content }, signal) => send(workplace, { to }, content, signal),
});

const reply = tool({
  name: 'reply',
  title: 'Reply to a message',
  description: 'Sends a message to the other party of a message, in the same thread. It can’t be taken back.',
  scope: 'read_write',
  annotations: sends,
  input: z.object({ in_reply_to: messageId('The message that you reply to.'), acknowledge: acknowledgement, ...contentFields }),
  output: delivered,
  isUntrusted: false,
  run: (workplace, { in_reply_to, acknowledge, ...content }, signal) => send(workplace, { in_reply_to, acknowledge }, content, signal),
});

const comment = tool({
  name: 'comment',
  title: 'Comment on a thread',
  description: 'Adds a comment for members and agents of your own business. The other party never sees it.',
  scope: 'read_write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z.object({
    thread_id: threadId,
    text: z.string().min(1).max(10_000),
    mentions: z.array(z.string().max(64)).max(20).optional().describe('Ids of members or agents, usr_… or agt_…, who get a notification.'),
  }),
  output: z.object({ id: z.string(), author: worker, created_at: z.string() }),
  isUntrusted: false,
  run: async ({ waybill }, { thread_id, text, mentions }, signal) => {
    const { id, author, created_at } = await waybill.comment(thread_id, { text, ...(mentions && { mentions }) }, { signal });
    return { id, author, created_at };
  },
});

const assign = tool({
  name: 'assign',
  title: 'Assign a thread',
  description: 'Assigns a thread to a member or an agent of your business, who is notified; can also finish or open it.',
  scope: 'read_write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({
    thread_id: threadId,
    assignee: z.string().max(64).nullable().describe('me, the id of a member or an agent (usr_… or agt_…), or null for nobody.'),
    status: z.enum(['open', 'done']).optional(),
  }),
  output: z.object({ thread_id: z.string(), status: z.enum(['open', 'done']), assignee: worker.nullable(), labels: z.array(z.string()) }),
  isUntrusted: false,
  run: async ({ waybill }, { thread_id, assignee, status }, signal) => {
    const state = await waybill.changeThread(thread_id, { assignee, ...(status && { status }) }, { signal });
    return { thread_id, status: state.status, assignee: state.assignee, labels: state.labels };
  },
});

const checkSchema = tool({
  name: 'check_schema',
  title: 'Check JSON against a recipient’s schema',
  description:
    'Says what the schema of a recipient’s inbox makes of JSON, before you send it. Nothing is sent. not_applicable means that the recipient publishes no schema.',
  scope: 'read_write',
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({
    to: z.string().min(1).max(320).describe('A handle, or <handle>/<segment>.'),
    type: z.string().min(1).max(80).optional().describe('The type of the message, which can have a schema of its own.'),
    ...jsonFields,
  }),
  output: z.object({
    status: z.enum(['passed', 'failed', 'not_applicable']),
    untrusted_content: z.object({
      errors: z.array(z.object({ path: z.string(), message: z.string(), keyword: z.string() })),
    }),
    left_out: z.number().optional().describe('Errors that are missing because the result is too long.'),
  }),
  // Error messages can quote the recipient’s schema.
  isUntrusted: true,
  run: async ({ waybill, resultMaxChars }, { to, type, ...given }, signal) => {
    await refuseBadJson(given);
    const query = { to, ...(type !== undefined && { type }) };
    const body = new JsonText(`{"json":${given.json_text ?? JSON.stringify(given.json ?? null)}}`);
    const { validation } = await waybill.request('POST /v1/schema-check', { query, body }, { signal, isRepeatable: true });
    const { items, leftOut } = fit(validation.errors, resultMaxChars, ({ path, message, keyword }, maxChars) => ({
      path: cutTo(path, maxChars),
      message: cutTo(message, maxChars),
      keyword,
    }));
    return { status: validation.status, untrusted_content: { errors: items }, ...(leftOut > 0 && { left_out: leftOut }) };
  },
});

export const writingTools: Tool[] = [sendMessage, reply, comment, assign, checkSchema];
