import type { FastifyInstance, FastifyRequest, InjectOptions } from 'fastify';
import { clientOfSelf } from './while-connected.ts';

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const WITHOUT_BODY = new Set([204, 304]);

/**
 * A `fetch` for requests of the service to its own API, on behalf of another request's client. These requests need no socket, and pass the
 * same checks, rates and limits as any other.
 */
export function fetchFromSelf({ server, ip }: FastifyRequest): Fetch {
  return async (url, { method: given = 'GET', headers, body, signal }) => {
    signal?.throwIfAborted();
    const { pathname, search } = new URL(url);
    const method = METHODS.find((one) => one === given);
    const request = {
      ...(method && { method }),
      url: `${pathname}${search}`,
      headers: Object.fromEntries(new Headers(headers)),
      remoteAddress: ip,
      ...(typeof body === 'string' && { payload: body }),
    };
    return signal ? clientOfSelf.run(signal, () => serve(server, request)) : serve(server, request);
  };
}

async function serve(server: FastifyInstance, request: InjectOptions): Promise<Response> {
  const response = await server.inject(request);
  // Without a socket, nothing else closes the request, and its timers would go on.
  response.raw.req.destroy();
  const { statusCode: status } = response;
  return new Response(WITHOUT_BODY.has(status) ? null : new Uint8Array(response.rawPayload), {
    status,
    headers: headersOf(response.headers),
  });
}

function headersOf(given: Record<string, unknown>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) for (const one of [value].flat()) headers.append(name, String(one));
  return headers;
}
