import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import { isLoopbackAddress, isLoopbackHost } from '../../platform/loopback.ts';

export const KEPT_MAILS_PATH = '/dev/mail';

/**
 * One-time codes can be read there, so only on a service that is nobody's but the person's who sits at its machine: one
 * without a mail server, behind no proxy, with no other address than that of the machine itself.
 */
export function showsKeptMails({ smtpUrl, trustedProxies, publicUrl, databaseUrl, host }: Config): boolean {
  const isKnownElsewhere = publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname);
  const isShared = databaseUrl !== undefined && !isLoopbackHost(host);
  return smtpUrl === undefined && trustedProxies.length === 0 && !isKnownElsewhere && !isShared;
}

/** What proxies add. A request that came through one was not made at this machine, whatever its connection says. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-real-ip', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port'];

/** A page of somebody else can have a name that leads here, and so read what it likes; but not name us as we are named. */
export function isFromThisMachine({ raw, headers }: FastifyRequest): boolean {
  const host = URL.parse(`http://${headers.host}`)?.hostname ?? '';
  return (
    isLoopbackAddress(raw.socket.remoteAddress ?? '') && isLoopbackHost(host) && PROXY_HEADERS.every((name) => headers[name] === undefined)
  );
}
