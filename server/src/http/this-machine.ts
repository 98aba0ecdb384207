import type { FastifyRequest } from 'fastify';
import { isLoopbackAddress, isLoopbackHost } from '../platform/outbound/loopback.ts';

/** Proxies add these headers. A request with one of them was not made on this machine, whatever its connection's address. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-real-ip', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port'];

/** The request was made on this machine and to its own name. A page that uses DNS rebinding sends another Host. */
export function isFromThisMachine({ raw, headers }: FastifyRequest): boolean {
  const host = URL.parse(`http://${headers.host}`)?.hostname ?? '';
  return (
    isLoopbackAddress(raw.socket.remoteAddress ?? '') && isLoopbackHost(host) && PROXY_HEADERS.every((name) => headers[name] === undefined)
  );
}
