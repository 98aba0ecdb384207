import { Waybill } from '@waybill/client';
import type { Workplace } from '@waybill/mcp';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Refusal } from '../../contract/errors.ts';
import { MCP_BODY_MAX_BYTES, MCP_CALL_MAX_MS, MCP_RESULT_MAX_CHARS } from '../../contract/limits.ts';
import type { Caller } from '../../contract/parties.ts';
import { endpointsFor, type HttpResponse } from '../../http/endpoint.ts';
import { fetchFromSelf } from '../../http/requests-to-self.ts';
import { version } from '../../http/version.ts';
import { whileConnected } from '../../http/while-connected.ts';
import { parseJson } from '../../platform/json/lossless-json.ts';
import { loadHandler } from './handler.ts';

const { endpoint } = endpointsFor<{ publicUrl: string }>();

const NOT_JSON = { jsonrpc: '2.0', error: { code: -32_700, message: 'The body is not valid JSON in UTF-8.' }, id: null };
const OF_PROTOCOL = ['accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

export const post = endpoint({
  summary: 'Use the service from an agent, by the Model Context Protocol',
  description: 'One JSON-RPC message in, one out, without a session. What a tool asks of the API is charged to the key, like this request.',
  body: Type.Unknown(),
  readsRawBody: true,
  success: { status: 200, description: 'The JSON-RPC response.' },
  also: [{ status: 202, description: 'A notification was accepted.' }],
  errors: ['forbidden', 'json_too_large', 'unsupported_media_type'],
  handle: async ({ publicUrl }, { caller, rawBody, request }) => {
    refuseBrowsers(request, publicUrl);
    if (caller.by.kind !== 'key') throw new Refusal('forbidden', 'Connect with an API key, in the header Authorization.');
    if (rawBody.length > MCP_BODY_MAX_BYTES)
      throw new Refusal('json_too_large', `A message of the protocol has at most ${MCP_BODY_MAX_BYTES} bytes.`);
    const message = parseJson(rawBody);
    if (!message) return { status: 400, body: NOT_JSON };
    const serve = await loadHandler(version);
    const workplace = workplaceOf(request, caller, publicUrl);
    const work = (signal: AbortSignal) => serve(protocolRequest(request, publicUrl, signal), message.value, workplace);
    return toHttp(await whileConnected(request, (gone) => inTime(work, gone)));
  },
});

/** A page that resolves to our address (DNS rebinding) has an Origin of its own. Programs have none. */
function refuseBrowsers({ headers: { origin } }: FastifyRequest, publicUrl: string): void {
  if (origin !== undefined && origin !== new URL(publicUrl).origin)
    throw new Refusal('forbidden', 'This endpoint is for programs: Origin names another site.');
}

function protocolRequest({ headers }: FastifyRequest, publicUrl: string, signal: AbortSignal): Request {
  const given = new Headers({ 'content-type': 'application/json' });
  for (const name of OF_PROTOCOL) {
    const value = headers[name];
    if (typeof value === 'string') given.set(name, value);
  }
  return new Request(`${publicUrl}/mcp`, { method: 'POST', headers: given, signal });
}

/** Tools call the API with the caller's key and without retries, so that the agent learns of an error at once. */
function workplaceOf(request: FastifyRequest, { business, scope }: Caller, publicUrl: string): Workplace {
  const fetch = fetchFromSelf(request);
  const key = request.headers.authorization?.replace(/^Bearer /i, '');
  return {
    waybill: new Waybill({ baseUrl: publicUrl, key, fetch, maxRetries: 0, timeoutMs: MCP_CALL_MAX_MS, onWarning: () => {} }),
    self: { handle: business.handle, scope },
    resultMaxChars: MCP_RESULT_MAX_CHARS,
    // The client downloads files in a bucket itself.
    readFile: async (url, maxBytes, signal) => {
      if (new URL(url).origin !== new URL(publicUrl).origin) return undefined;
      const response = await fetch(url, { headers: { range: `bytes=0-${maxBytes - 1}` }, signal });
      return response.ok ? new Uint8Array(await response.arrayBuffer()).subarray(0, maxBytes) : undefined;
    },
    tell: (error) => request.log.error({ err: error, request_id: request.id }, 'a tool failed'),
  };
}

async function inTime(work: (signal: AbortSignal) => Promise<Response>, gone: AbortSignal): Promise<Response> {
  const ending = new AbortController();
  const { promise: ended, resolve, reject } = Promise.withResolvers<Response>();
  const refuse = () => reject(new Refusal('unavailable', `The call took longer than ${MCP_CALL_MAX_MS / 1_000} s.`, { retryAfterS: 1 }));
  const timer = setTimeout(refuse, MCP_CALL_MAX_MS);
  gone.addEventListener('abort', () => resolve(new Response()), { once: true });
  try {
    return await Promise.race([work(ending.signal), ended]);
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}

async function toHttp(response: Response): Promise<HttpResponse> {
  const { status } = response;
  const body = await response.text();
  if (status >= 500) throw new Error(`MCP: ${body}`);
  return { status, ...(body !== '' && { body }) };
}
