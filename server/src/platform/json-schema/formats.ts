import { domainToASCII } from 'node:url';
import { fullFormats } from 'ajv-formats/dist/formats.js';

type Check = (value: string) => boolean;

/** The time of these expressions grows with the square of the length; longer texts are never valid. */
const MAX_CHARS: Record<string, number> = { email: 320, hostname: 255, 'idn-email': 320, 'idn-hostname': 255, url: 2_048 };

const international: Record<string, Check> = {
  'idn-hostname': isInternationalHost,
  'idn-email': (text) => {
    const at = text.lastIndexOf('@');
    return /^[^\s@]+$/.test(text.slice(0, Math.max(at, 0))) && isInternationalHost(text.slice(at + 1));
  },
  iri: (text) => matches('uri', inAscii(text)),
  'iri-reference': (text) => matches('uri-reference', inAscii(text)),
};

function isInternationalHost(text: string): boolean {
  return /^[^\s/?#%:@[\]\\]+$/.test(text) && matches('hostname', domainToASCII(text));
}

/** Turns an IRI into a URI, as RFC 3987 does. */
function inAscii(text: string): string {
  return text.isWellFormed() ? text.replace(/[\u{a0}-\u{10ffff}]+/gu, encodeURIComponent) : ' ';
}

function matches(name: string, text: string): boolean {
  return stringFormat(name)?.(text) ?? false;
}

/** Undefined for an unknown format, or one that is not about text. */
export function stringFormat(name: string): Check | undefined {
  const check = Object.hasOwn(international, name) ? international[name] : published(name);
  const max = MAX_CHARS[name];
  return check && max !== undefined ? (text) => text.length <= max && check(text) : check;
}

function published(name: string): Check | undefined {
  const format: unknown = Object.hasOwn(fullFormats, name) ? (fullFormats as Record<string, unknown>)[name] : undefined;
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return (text) => Boolean(format(text));
  const { type, validate } = (format ?? {}) as { type?: string; validate?: Check };
  return type === 'number' ? undefined : validate;
}

export function numberFormat(name: string): ((value: number) => boolean) | undefined {
  const format = Object.hasOwn(fullFormats, name) ? (fullFormats as Record<string, unknown>)[name] : undefined;
  const { type, validate } = (format ?? {}) as { type?: string; validate?: (value: number) => boolean };
  return type === 'number' ? validate : undefined;
}
