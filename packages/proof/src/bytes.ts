import { newSha256 } from '@waybill/client';
import { ProofError } from './errors.ts';

/** Bytes that Web Crypto takes: it refuses shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>;

export type Hash = (bytes: Uint8Array) => Uint8Array;

export const HASH_BYTES = 32;

/** No valid text is longer, if the caller does not name another limit. */
const BASE64_CHARACTERS_MAX = 131_072;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Standard base64 with padding. Refuses set bits under the padding, which would be a second form of the same bytes. */
export function fromBase64(text: string, what: string, most = BASE64_CHARACTERS_MAX): Bytes {
  if (text.length > most || !BASE64.test(text)) throw new ProofError(`${what} is not base64, or is too long.`);
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  if (toBase64(bytes) !== text) throw new ProofError(`${what} is not in the one base64 form of its bytes.`);
  return bytes;
}

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  // Converted in pieces, because a call takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function fromHex(text: string, what: string): Bytes {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new ProofError(`${what} is not lower-case hexadecimal.`);
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export function concat(...parts: Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

export function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}

export function sha256(bytes: Uint8Array): Bytes {
  const hash = newSha256();
  hash.update(bytes);
  return fromHex(hash.digest().slice('sha256:'.length), 'A hash');
}

/** The SHA-256 of a text, as the API writes it. */
export function hashOf(text: string): string {
  return `sha256:${toHex(sha256(utf8(text)))}`;
}

/** A size or an index: decimal, without leading zeros, and exact as a JavaScript number. */
export function parseCount(text: string, what: string): number {
  const count = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(count)) throw new ProofError(`${what} is not a decimal number below 2^53.`);
  return count;
}
