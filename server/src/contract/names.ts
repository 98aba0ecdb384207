import { HANDLE_MAX_CHARS, HANDLE_MIN_CHARS, SEGMENT_MAX_CHARS } from './limits.ts';

const NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** The demo inbox always exists, accepts messages, and has no threads. */
export const DEMO_HANDLE = 'demo';

const RESERVED_HANDLES = new Set([
  DEMO_HANDLE,
  'abuse',
  'account',
  'accounts',
  'admin',
  'administrator',
  'api',
  'assets',
  'auth',
  'billing',
  'cdn',
  'dashboard',
  'docs',
  'drop',
  'email',
  'files',
  'healthz',
  'help',
  'hostmaster',
  'inbox',
  'legal',
  'login',
  'logout',
  'mail',
  'mailer-daemon',
  'me',
  'metrics',
  'no-reply',
  'noreply',
  'openapi',
  'outbox',
  'postmaster',
  'privacy',
  'public',
  'readyz',
  'receipt',
  'receipts',
  'root',
  'security',
  'settings',
  'signin',
  'signup',
  'smtp',
  'static',
  'status',
  'support',
  'system',
  'terms',
  'threads',
  'uploads',
  'waybill',
  'webhooks',
  'webmaster',
  'www',
]);

export function parseHandle(text: string): string | undefined {
  const handle = asciiLowerCase(text);
  return handle.length >= HANDLE_MIN_CHARS && handle.length <= HANDLE_MAX_CHARS && NAME.test(handle) ? handle : undefined;
}

export function parseSegment(text: string): string | undefined {
  const segment = asciiLowerCase(text);
  return segment.length <= SEGMENT_MAX_CHARS && NAME.test(segment) ? segment : undefined;
}

/**
 * Handles that begin with the service's name are reserved, because they would seem to speak for the service. So are those with hyphens as their third
 * and fourth character: in a host name, `xn--…` is shown as other letters (RFC 5890).
 */
export function isReservedHandle(handle: string): boolean {
  return RESERVED_HANDLES.has(handle) || handle.startsWith('waybill-') || handle.slice(2, 4) === '--';
}

/** Unlike toLowerCase, this does not turn the Kelvin sign into a k. */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Folds the case for comparison, by way of upper case, which some letters share. ß equals ss, and a final sigma any sigma. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ');
}

export interface Address {
  handle: string;
  segment: string | undefined;
}

export function parseAddress(text: string): Address | undefined {
  const slash = text.indexOf('/');
  const handle = parseHandle(slash < 0 ? text : text.slice(0, slash));
  if (handle === undefined) return undefined;
  if (slash < 0) return { handle, segment: undefined };
  const segment = parseSegment(text.slice(slash + 1));
  return segment === undefined ? undefined : { handle, segment };
}

export function formatAddress(handle: string, segment: string | null): string {
  return segment === null ? handle : `${handle}/${segment}`;
}
