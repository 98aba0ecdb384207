import { isWeakKey } from '@waybill/client';
import { DOMAIN_KEY_FILE_MAX_BYTES, DOMAIN_KEYS_PER_HANDLE_MAX } from '../../contract/limits.ts';
import { isRecord } from '../../contract/records.ts';
import { type Outbound, reasonOf } from '../../platform/outbound/outbound.ts';

const KEY_BYTES = 32;
/** Certificates have names as long as the server likes, and errors quote them. */
const PROBLEM_MAX_CHARS = 500;

/** The keys of a handle in the file of a domain, sorted; or why there is no valid file. */
export type Found = { keys: string[] } | { problem: string };

export function keyFileUrl(domain: string): string {
  return `https://${domain}/.well-known/waybill-keys.json`;
}

/** Redirects are not followed: the file must be at the domain itself. */
export async function fetchKeys(outbound: Outbound, domain: string, handle: string): Promise<Found> {
  try {
    const { statusCode, start, isLonger } = await outbound.get(keyFileUrl(domain), DOMAIN_KEY_FILE_MAX_BYTES);
    if (statusCode >= 300 && statusCode < 400)
      return { problem: `The address responded with ${statusCode}. Redirects are not followed: the domain itself must have the file.` };
    if (statusCode !== 200) return { problem: `The address responded with ${statusCode}.` };
    if (isLonger) return { problem: `The file has more than ${DOMAIN_KEY_FILE_MAX_BYTES.toLocaleString('en')} bytes.` };
    return keysIn(start, handle);
  } catch (error) {
    return { problem: `The file could not be fetched: ${reasonOf(error)}`.slice(0, PROBLEM_MAX_CHARS) };
  }
}

/** A file without the handle names no keys of it. Members that are not known are for later versions. */
export function keysIn(file: Buffer, handle: string): Found {
  let content: unknown;
  try {
    content = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(file));
  } catch {
    return { problem: 'The file is not JSON in UTF-8.' };
  }
  const handles = isRecord(content) ? content['handles'] : undefined;
  if (!isRecord(handles)) return { problem: 'The file has no object "handles".' };
  const named = Object.hasOwn(handles, handle) ? handles[handle] : [];
  if (!Array.isArray(named) || named.length > DOMAIN_KEYS_PER_HANDLE_MAX || !named.every(isPublicKey))
    return {
      problem: `"handles.${handle}" must be a list of at most ${DOMAIN_KEYS_PER_HANDLE_MAX} Ed25519 public keys, each of 32 bytes in base64.`,
    };
  return { keys: [...new Set(named)].toSorted() };
}

function isPublicKey(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const bytes = Buffer.from(value, 'base64');
  return bytes.length === KEY_BYTES && bytes.toString('base64') === value && !isWeakKey(bytes);
}
