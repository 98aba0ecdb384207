import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { JSON_MAX_BYTES, MCP_BODY_MAX_BYTES } from '../../../src/contract/limits.ts';
import type { Api, ApiResponse } from '../api.ts';
import { sendFormData } from '../form.ts';
import { hostileJson } from '../hostile-json.ts';
import { untilLogged } from '../proofs.ts';
import type { TestBusiness, TestService } from '../service.ts';
import { type Full, filesForm } from './business.ts';
import { HAN, LONGEST_COMMENT, LONGEST_NAMES, LONGEST_NOTE, salam } from './texts.ts';

type Ask = () => Promise<ApiResponse>;

const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export function mcp(api: Api, method: string, params: object = {}): Promise<ApiResponse> {
  return api.request('POST', '/mcp', { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers: ACCEPT });
}

/** The names of all tools and the templates of all resources, as the service lists them. */
export async function toolsAndResources(api: Api): Promise<string[]> {
  const listed = async (method: string) => succeeded(await mcp(api, method)).body.result;
  const { tools }: { tools: { name: string }[] } = await listed('tools/list');
  const { resources }: { resources: { uri: string }[] } = await listed('resources/list');
  const { resourceTemplates }: { resourceTemplates: { uriTemplate: string }[] } = await listed('resources/templates/list');
  return [...tools.map(({ name }) => name), ...resources.map(({ uri }) => uri), ...resourceTemplates.map(({ uriTemplate }) => uriTemplate)];
}

/** A refusal does none of the work that is measured. */
function succeeded(response: ApiResponse): ApiResponse {
  expect([response.status, response.body?.error, response.body?.result?.isError ?? false], response.text.slice(0, 500)).toEqual([
    200,
    undefined,
    false,
  ]);
  return response;
}

/** Calls a tool. The fields of the result that `expected` names must be as it says. */
async function call(api: Api, name: string, args: object, expected: object = {}): Promise<ApiResponse> {
  const response = succeeded(await mcp(api, 'tools/call', { name, arguments: args }));
  expect(response.body.result.structuredContent).toMatchObject(expected);
  return response;
}

async function read(api: Api, uri: string): Promise<ApiResponse> {
  const response = succeeded(await mcp(api, 'resources/read', { uri }));
  expect(response.body.result.contents[0].text).toContain('UNTRUSTED CONTENT');
  return response;
}

/** Has three bytes, and is shown as an escape of six characters. */
const UNSEEN = '\u200b';
const LARGEST_JSON = [...hostileJson.map(([, json]) => json), `"${UNSEEN.repeat((JSON_MAX_BYTES - 2) / 3)}"`];

const arrays = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const SHALLOW = ['{}', arrays(98), objects(98), '1e-7', '"\\ud800"', '{"1":1,"0":2}'];
const DEEP = [arrays(998), objects(998)];

/** Arrays of values that take long to parse or to sort. Each has about this many bytes as a text in JSON. */
function hostileArrays(units: readonly string[], bytes: number): string[] {
  const filled = (unitOf: (i: number) => string) =>
    `[${Array.from({ length: Math.floor(bytes / (JSON.stringify(unitOf(10_000)).length - 1)) }, (_, i) => unitOf(i)).join(',')}]`;
  return [...units.map((unit) => filled(() => unit)), filled((i) => `{"k${i}":1}`)];
}

/** The body of a call has other arguments, too. */
const JSON_IN_BODY_MAX_BYTES = MCP_BODY_MAX_BYTES - 40_000;
const LARGEST_VALUES = hostileArrays(SHALLOW, JSON_IN_BODY_MAX_BYTES);
const LARGEST_TEXTS = hostileArrays([...SHALLOW, ...DEEP], JSON_IN_BODY_MAX_BYTES);
/** At most what verify_receipt compares, 64 K characters. */
const VERIFIED = hostileArrays([...SHALLOW, ...DEEP], 64_000);

const TEXTS = [HAN, UNSEEN, 'x'].map((character) => character.repeat(1_000_000));

const form = async ({ api }: TestBusiness, given: FormData, json: string) => {
  given.set('json', json);
  const { status, text, body } = await sendFormData(api, given);
  expect(status, text.slice(0, 500)).toBe(201);
  return body;
};

/** The worst calls of every tool and resource, by its name or template. All of them succeed. */
export async function largestCalls(service: TestService, acme: TestBusiness, full: Full): Promise<Record<string, Ask[]>> {
  await publishSchema(acme, full.schema);
  const reader = await service.business('hooli', { segment: 'desk' });
  return { ...(await callsOfReader(service, acme, reader)), ...callsOfGlobex(full) };
}

async function publishSchema({ api }: TestBusiness, schema: object): Promise<void> {
  expect((await api.write('PUT', '/inbox/schema', { schema })).status).toBe(200);
  expect((await api.patch('/inbox/schema', { published: true })).status).toBe(200);
}

/** The reader has no other messages, so that its consumers lease the one that is meant. */
async function callsOfReader(service: TestService, acme: TestBusiness, reader: TestBusiness): Promise<Record<string, Ask[]>> {
  const { api } = reader;
  const ids: string[] = [];
  for (const [i, json] of LARGEST_JSON.entries())
    ids.push((await acme.api.send(`{"to":"hooli","type":"json-${i}","json":${json}}`)).body.id);
  const thread = await fillThread(acme);
  const receipts = await sendVerified(service, acme);
  const { vkey } = (await service.anonymous.request('GET', '/.well-known/waybill.json')).body.log;
  const texts = await form(acme, textFiles(), hostileJson[0]?.[1] ?? '');
  /** A new consumer of one message, which begins with the oldest. */
  const consumer = async (i: number) => {
    await api.request('DELETE', '/v1/consumers/desk');
    await api.write('PUT', '/consumers/desk', { start: 'beginning', filter: { types: [`json-${i}`] } });
    return { consumer: 'desk' };
  };
  return {
    get_file: TEXTS.map((text, i) => () => {
      const from = { message_id: texts.id, file_id: texts.files[i].id, read_text: true };
      return call(api, 'get_file', from, { untrusted_content: { cut: { text: Buffer.byteLength(text) } } });
    }),
    next_message: ids.map((id, i) => async () => {
      return call(api, 'next_message', { ...(await consumer(i)), wait_s: 20 }, { message: { id, untrusted_content: { cut: {} } } });
    }),
    acknowledge: [
      async () => {
        const desk = await consumer(0);
        await api.write('POST', '/consumers/desk/lease', { limit: 1, wait_s: 20 });
        return call(api, 'acknowledge', { ...desk, message_id: ids[0] }, { acknowledged: true });
      },
    ],
    verify_receipt: receipts.flatMap(({ receipt, json }) => [
      () => call(api, 'verify_receipt', { receipt, json_text: json, vkey }, { verdict: 'verified', json_bytes: 'matches' }),
      // Other spaces: then it is also looked for what others may read differently.
      () => call(api, 'verify_receipt', { receipt, json_text: `[ ${json.slice(1)}`, vkey }, { json: 'matches', json_bytes: 'differs' }),
    ]),
    'waybill://messages/{id}': ids.map((id) => () => read(api, `waybill://messages/${id}`)),
    'waybill://threads/{id}': [() => read(api, `waybill://threads/${thread}`)],
  };
}

function textFiles(): FormData {
  const given = new FormData();
  given.set('to', 'hooli');
  for (const text of TEXTS) given.append('file', new File([text], 'text.txt', { type: 'text/plain' }));
  return given;
}

/** As many messages as a page has, with the longest notes, and JSON as long as read_thread has it. */
async function fillThread({ api }: TestBusiness): Promise<string> {
  const note = UNSEEN.repeat(10_000);
  const json = JSON.stringify(UNSEEN.repeat(2_700));
  const first = (await api.send(`{"to":"hooli","note":"${note}","json":${json}}`)).body;
  for (let i = 0; i < 19; i++) await api.send(`{"in_reply_to":"${first.id}","note":"${note}","json":${json}}`);
  return first.thread_id;
}

/** Receipts with the most files, of messages with the largest JSON that is compared. The log has them. */
async function sendVerified({ anonymous }: TestService, acme: TestBusiness): Promise<{ receipt: string; json: string }[]> {
  const receipts: { receipt: string; json: string }[] = [];
  for (const json of VERIFIED) {
    const { receipt_url } = await form(acme, filesForm('hooli', LONGEST_NAMES[1] ?? ''), json);
    receipts.push({ receipt: receipt_url, json });
    await untilLogged(() => anonymous.get(`/receipts/${receipt_url.split('/r/')[1]}/proof`));
  }
  return receipts;
}

function callsOfGlobex({ globex, withFiles, withJson, ofLongThread, schema }: Full): Record<string, Ask[]> {
  const { api, agentId } = globex;
  const one = (name: string, args: object) => [() => call(api, name, args)];
  const content = () => ({ subject: salam(200), note: LONGEST_NOTE, idempotency_key: randomUUID() });
  /** As a value, and as a text. */
  const withEach = (name: string, args: () => object) => [
    ...LARGEST_VALUES.map((json) => () => call(api, name, { ...args(), json: JSON.parse(json) })),
    ...LARGEST_TEXTS.map((json) => () => call(api, name, { ...args(), json_text: json })),
  ];
  const { properties = {} }: { properties?: object } = schema;
  const failing = Object.fromEntries(Object.keys(properties).map((name) => [name, 1]));
  return {
    who_am_i: one('who_am_i', {}),
    find_handle: one('find_handle', { q: 'globex', limit: 20 }),
    list_threads: one('list_threads', { limit: 20 }),
    read_thread: one('read_thread', { thread_id: ofLongThread.thread_id, limit: 20 }),
    search: one('search', { q: HAN, limit: 20 }),
    send_message: withEach('send_message', () => ({ to: 'acme', ...content() })),
    reply: withEach('reply', () => ({ in_reply_to: withJson[0].id, ...content() })),
    comment: one('comment', { thread_id: withFiles.thread_id, text: LONGEST_COMMENT, mentions: [agentId] }),
    assign: one('assign', { thread_id: withFiles.thread_id, assignee: agentId, status: 'done' }),
    check_schema: [
      ...withEach('check_schema', () => ({ to: 'acme' })),
      () => call(api, 'check_schema', { to: 'acme', json: failing }, { status: 'failed' }),
    ],
  };
}
