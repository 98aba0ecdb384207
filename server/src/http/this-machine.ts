import type { FastifyRequest } from 'fastify';
import { isLoopbackAddress, isLoopbackHost } from '../platform/loopback.ts';

/** What proxies add. A request that came through one was not made at this machine, whatever its connection says. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-real-ip', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port'];

/** Whether a request was made on this machine, and to it by name: DNS rebinding lets a page reach it only by another name. */
export function isFromThisMachine({ raw, headers }: FastifyRequest): boolean {
  const host = URL.parse(`http://${headers.host}`)?.hostname ?? '';
  return (
    isLoopbackAddress(raw.socket.remoteAddress ?? '') && isLoopbackHost(host) && PROXY_HEADERS.every((name) => headers[name] === undefined)
  );
}
