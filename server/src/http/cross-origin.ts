import type { FastifyReply, FastifyRequest } from 'fastify';

const EXPOSED = [
  ...['ETag', 'RateLimit', 'RateLimit-Cost', 'RateLimit-Limit', 'RateLimit-Policy', 'RateLimit-Remaining', 'RateLimit-Reset'],
  ...['Retry-After', 'X-Request-Id'],
].join(', ');
const PREFLIGHT_LASTS_S = 86_400;

/** Lets scripts of any site read a response that is the same for everybody. With `*`, browsers never send cookies. */
export function allowOtherSites(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*');
  reply.header('access-control-expose-headers', EXPOSED);
}

export async function handlePreflight(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  allowOtherSites(reply);
  reply
    .code(204)
    .headers({
      allow: 'GET, HEAD, OPTIONS',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'If-None-Match',
      'access-control-max-age': PREFLIGHT_LASTS_S,
    })
    .send();
}
