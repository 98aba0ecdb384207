import { createHash, randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { DEVICE_KNOWN_DAYS } from '../../contract/limits.ts';

const DEVICE_BYTES = 24;
const DEVICE = /^[\w-]{32}$/;

/** The cookie that identifies a browser: a code belongs to the browser that requested it. Over HTTPS, the name has a prefix. */
const NAME = 'waybill.device';

export function deviceOf({ headers }: Pick<FastifyRequest, 'headers'>, publicUrl: string): string | undefined {
  const wanted = `${prefixOf(publicUrl)}${NAME}=`;
  const pair = headers.cookie?.split(/;\s*/).find((cookie) => cookie.startsWith(wanted));
  const device = pair?.slice(wanted.length);
  return device !== undefined && DEVICE.test(device) ? device : undefined;
}

export function newDevice(): string {
  return randomBytes(DEVICE_BYTES).toString('base64url');
}

export function deviceCookie(device: string, publicUrl: string): string {
  const secure = prefixOf(publicUrl) === '' ? '' : '; Secure';
  return `${prefixOf(publicUrl)}${NAME}=${device}; Max-Age=${DEVICE_KNOWN_DAYS * 24 * 3_600}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

export function deviceHash(device: string): string {
  return createHash('sha256').update(device).digest('base64url');
}

/** A cookie with this prefix can't be set by another host of the same domain, nor over plain HTTP. */
function prefixOf(publicUrl: string): string {
  return publicUrl.startsWith('https://') ? '__Host-' : '';
}
