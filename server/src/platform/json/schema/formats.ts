import { domainToASCII } from 'node:url';
import type { Format, FormatDefinition } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';

type Check = (value: string) => boolean;

/** Longer texts are never valid. The limit matters because the time of these expressions grows with the square of the length. */
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

/** Turns an IRI into a URI by RFC 3987. */
function inAscii(text: string): string {
  return text.isWellFormed() ? text.replace(/[\u{a0}-\u{10ffff}]+/gu, encodeURIComponent) : ' ';
}

function matches(name: string, text: string): boolean {
  return stringFormat(name)?.(text) ?? false;
}

export function stringFormat(name: string): Check | undefined {
  const check = Object.hasOwn(international, name) ? international[name] : published(name);
  const max = MAX_CHARS[name];
  return check && max !== undefined ? (text) => text.length <= max && check(text) : check;
}

const formats = new Map<string, Format>(Object.entries(fullFormats));

function isOfNumbers(format: Format | undefined): format is FormatDefinition<number> {
  return typeof format === 'object' && 'type' in format && format.type === 'number' && !format.async;
}

function published(name: string): Check | undefined {
  const format = formats.get(name);
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return (text) => format(text);
  if (typeof format !== 'object' || format.async || isOfNumbers(format)) return undefined;
  return typeof format.validate === 'function' ? format.validate : undefined;
}

export function numberFormat(name: string): ((value: number) => boolean) | undefined {
  const format = formats.get(name);
  return isOfNumbers(format) ? format.validate : undefined;
}
