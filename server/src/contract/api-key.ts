import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { sha256 } from './sha256.ts';

/**
 * `wb_`, 30 characters of base62 (178.6 random bits), and a CRC-32 of them in 6 characters of base62:
 * a typo is refused without a look-up, and scanners can tell a leaked key from noise.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BODY_CHARS = 30;
const CHECK_CHARS = 6;
const FORM = new RegExp(`^wb_([0-9A-Za-z]{${BODY_CHARS}})([0-9A-Za-z]{${CHECK_CHARS}})$`);
const PREFIX_CHARS = 8;

export const KEY_SCOPES = ['read', 'read_write'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

export function newApiKey(): string {
  let body = '';
  for (let i = 0; i < BODY_CHARS; i++) body += ALPHABET[randomInt(ALPHABET.length)];
  return `wb_${body}${checkOf(body)}`;
}

export function isApiKey(text: string): boolean {
  const match = FORM.exec(text);
  return match?.[1] !== undefined && checkOf(match[1]) === match[2];
}

export function apiKeyHash(key: string): Buffer {
  return sha256(key);
}

export function apiKeyPrefix(key: string): string {
  return key.slice(0, PREFIX_CHARS);
}

function checkOf(body: string): string {
  let rest = crc32(body);
  let check = '';
  for (let i = 0; i < CHECK_CHARS; i++) {
    check = ALPHABET[rest % ALPHABET.length] + check;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return check;
}
