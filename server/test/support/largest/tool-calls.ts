import { randomUUID } from 'node:crypto';
import type { Api, ApiResponse } from '../api.ts';
import type { Full } from './business.ts';
import { HAN, LONGEST_COMMENT, LONGEST_NOTE, salam } from './texts.ts';

const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export function mcp(api: Api, method: string, params: object = {}): Promise<ApiResponse> {
  return api.request('POST', '/mcp', { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers: ACCEPT });
}

/** The worst call of every tool. Bodies are limited to 256 KB. */
export function largestCalls({ globex, withFiles, withJson, ofLongThread }: Full): Record<string, object> {
  const numbers = Array.from({ length: 30_000 }, (_, i) => i);
  return {
    who_am_i: {},
    find_handle: { q: 'c', limit: 20 },
    list_threads: { limit: 20 },
    read_thread: { thread_id: ofLongThread.thread_id, limit: 20 },
    search: { q: HAN, limit: 20 },
    get_file: { message_id: withFiles.id, file_id: withFiles.files[0].id, read_text: true },
    verify_receipt: {
      receipt: withFiles.receipt_url,
      json_text: JSON.stringify(numbers)
        .slice(0, 60_000)
        .replace(/,[^,]*$/, ']'),
    },
    send_message: { to: 'acme', subject: salam(200), note: LONGEST_NOTE, json: numbers, idempotency_key: randomUUID() },
    reply: { in_reply_to: withJson[0].id, note: LONGEST_NOTE, json: numbers, idempotency_key: randomUUID() },
    comment: { thread_id: withFiles.thread_id, text: LONGEST_COMMENT, mentions: [globex.agentId] },
    assign: { thread_id: withFiles.thread_id, assignee: globex.agentId, status: 'done' },
    check_schema: { to: 'acme', json: numbers },
    next_message: { consumer: 'desk' },
    acknowledge: { consumer: 'desk', message_id: withFiles.id },
  };
}
