import { createMcpHandler, isLegacyRequest, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { createServer } from './server.ts';
import type { Workplace } from './tool.ts';

/** Serves one message of the protocol. `request`: its headers. `message`: its body. */
export type Handler = (request: Request, message: unknown, workplace: Workplace) => Promise<Response>;

const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;

/**
 * Stateless Streamable HTTP: each request has its own server, and gets one JSON body. Serves the revision of 2026-07-28, and those before it, whose
 * clients begin with `initialize`.
 */
export function createHandler(version: string): Handler {
  const current = createMcpHandler(({ authInfo }) => createServer(workplaceIn(authInfo?.extra), version), { legacy: 'reject' });
  return async (request, message, workplace) => {
    const refusal = refusalOf(message);
    if (refusal) return refusal;
    if (await isLegacyRequest(request, message)) return serveEarlier(request, message, createServer(workplace, version));
    const authInfo = { token: '', clientId: workplace.self.handle, scopes: [workplace.self.scope], extra: { workplace } };
    return current.fetch(request, { parsedBody: message, authInfo });
  };
}

function workplaceIn(extra: Record<string, unknown> | undefined): Workplace {
  return extra?.['workplace'] as Workplace;
}

async function serveEarlier(request: Request, message: unknown, server: ReturnType<typeof createServer>): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  // Ends the work of a tool whose client is gone.
  const close = () => void server.close();
  request.signal.addEventListener('abort', close);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    request.signal.removeEventListener('abort', close);
    close();
  }
}

/** Refuses batches, and streams that stay open: both would cost more than the one request that is charged. */
function refusalOf(message: unknown): Response | undefined {
  if (Array.isArray(message)) return errorResponse(INVALID_REQUEST, 'Batches are not supported. Send one message at a time.');
  if (typeof message !== 'object' || message === null) return errorResponse(INVALID_REQUEST, 'The body must be a JSON-RPC message.');
  const { method, id } = message as { method?: unknown; id?: unknown };
  if (method !== 'subscriptions/listen') return undefined;
  return errorResponse(METHOD_NOT_FOUND, 'Subscriptions are not supported. Use next_message, or webhooks.', id);
}

function errorResponse(code: number, message: string, id: unknown = null): Response {
  const echoed = typeof id === 'string' || typeof id === 'number' ? id : null;
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: echoed }, { status: 400 });
}
