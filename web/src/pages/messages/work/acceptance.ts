import type { QueryClient } from '@tanstack/react-query';
import { call, JsonText } from '../../../api/client.ts';
import { reading } from '../../../api/queries.ts';
import { ACKNOWLEDGE, ACKNOWLEDGEMENTS } from '../acknowledgement-operations.ts';
import { type Choice, choicesOf } from '../document-choices.ts';
import { replyOf } from '../document-reply.ts';
import { fullMessage, isReceived, type Message, readPage } from '../thread-messages.ts';

/** Threads that are accepted at once. */
export const ACCEPTED_MAX = 50;
/** Pages of a thread that are looked through for its newest document. */
const PAGES_MAX = 5;
const AT_ONCE = 4;

/** A received document that can be accepted or confirmed without input. */
export interface Acceptable {
  threadId: string;
  message: Message;
  choice: Choice;
}

/** Runs a task for each item, a few at once, until the signal stops it. */
export async function forEach<Item>(items: readonly Item[], signal: AbortSignal, task: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const next = async () => {
    for (let item = waiting.shift(); item !== undefined && !signal.aborted; item = waiting.shift()) await task(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

/** Undefined: the newest document of the thread is not received, was judged before, needs a correction or input, or there is none. */
export async function acceptableIn(
  queries: QueryClient,
  business: string,
  threadId: string,
  signal: AbortSignal,
): Promise<Acceptable | undefined> {
  const message = await newestDocument(threadId, signal);
  if (!message || !isReceived(message, business) || message.validation.status === 'failed') return undefined;
  const said = await queries.fetchQuery({ ...reading(ACKNOWLEDGEMENTS, { path: { id: message.id } }), staleTime: 0 });
  if (said.data.length > 0) return undefined;
  const choice = choicesOf(message.type, message.json_sha256 !== null, true, null).find(
    ({ action }) => action.id === 'accept' || action.id === 'confirm',
  );
  return choice && { threadId, message, choice };
}

async function newestDocument(threadId: string, signal: AbortSignal): Promise<Message | undefined> {
  let newest: Message | undefined;
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const { messages, cursor: next } = await readPage(threadId, cursor, signal);
    newest = messages.findLast(({ type, json_sha256 }) => type !== null || json_sha256 !== null) ?? newest;
    if (next === null) return newest;
    cursor = next;
  }
  return undefined;
}

/**
 * Accepts a document, or confirms it by a reply. A repeat has the same key, so that nothing is sent twice, even by two people. The text of the reply is
 * kept in texts, because another day would change it.
 */
export async function accept(
  queries: QueryClient,
  business: string,
  { threadId, message, choice: { action } }: Acceptable,
  texts: Map<string, string>,
): Promise<void> {
  const { id } = message;
  const headers = { 'waybill-business': business };
  if (action.type === null) {
    await call(ACKNOWLEDGE, { path: { id }, body: { status: 'accepted' } }, { headers });
    return;
  }
  const text = texts.get(id) ?? (await replyText(queries, business, message, action));
  texts.set(id, text);
  const key = `${action.id}.${threadId}.${id}`;
  await call('POST /v1/messages', { body: new JsonText(text) }, { headers: { ...headers, 'idempotency-key': key } });
}

async function replyText(queries: QueryClient, business: string, message: Message, action: Choice['action']): Promise<string> {
  const { json = 'null' } = await queries.fetchQuery(fullMessage(business, message));
  const { type, subject, json: document } = replyOf(action, json, message, {}, business);
  const fields = JSON.stringify({ in_reply_to: message.id, type, subject, acknowledge: { status: 'accepted' } });
  return `${fields.slice(0, -1)},"json":${document}}`;
}
