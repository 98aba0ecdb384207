import type { Bytes } from './bytes.ts';
import { ProofError } from './errors.ts';

/* A strict reader of DER (X.690): every length in its shortest form, nothing left over. */

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectId: 0x06,
  enumerated: 0x0a,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

export interface Der {
  tag: number;
  /** Tag, length and content. */
  whole: Bytes;
  content: Bytes;
}

export function readAll(bytes: Bytes): Der[] {
  const elements: Der[] = [];
  for (let at = 0; at < bytes.length; ) {
    const element = readAt(bytes, at);
    elements.push(element);
    at += element.whole.length;
  }
  return elements;
}

/** One element, and nothing after it. */
export function readOne(bytes: Bytes, tag: number, what: string): Der {
  const [element, ...rest] = readAll(bytes);
  if (element?.tag !== tag || rest.length > 0) throw fault(what);
  return element;
}

/** The elements inside of a sequence, set or tagged element. */
export function inside(element: Der | undefined, tag: number, what: string): Der[] {
  if (element?.tag !== tag) throw fault(what);
  return readAll(element.content);
}

export function contentOf(element: Der | undefined, tag: number, what: string): Bytes {
  if (element?.tag !== tag) throw fault(what);
  return element.content;
}

/** The object id in dotted form: `2.5.29.37`. */
export function objectId(element: Der | undefined, what: string): string {
  const bytes = contentOf(element, TAG.objectId, what);
  const arcs: number[] = [];
  let arc = 0;
  for (const [at, byte] of bytes.entries()) {
    if (arc === 0 && byte === 0x80) throw fault(what);
    arc = arc * 128 + (byte & 0x7f);
    if (!Number.isSafeInteger(arc) || (at === bytes.length - 1 && byte >= 0x80)) throw fault(what);
    if (byte >= 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first = 0, ...rest] = arcs;
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - 40 * top, ...rest].join('.');
}

/** The bytes of a bit string without unused bits. */
export function wholeBits(element: Der | undefined, what: string): Bytes {
  const bytes = contentOf(element, TAG.bitString, what);
  if (bytes[0] !== 0) throw fault(what);
  return bytes.slice(1);
}

/** Longer than any: a time to a part of a second. */
const TIME_BYTES_MAX = 32;

/** A time of DER: UTC, to the second, with or without a fraction. */
export function timeOf(element: Der | undefined, what: string): Date {
  // Bounded, because a call takes a limited number of arguments.
  const text = String.fromCharCode(...(element?.content.subarray(0, TIME_BYTES_MAX) ?? []));
  const isUtc = element?.tag === TAG.utcTime;
  const form = isUtc ? /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/ : /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d{0,8}[1-9])?Z$/;
  const [, year = '', month, day, hour, minute, second, fraction = ''] = form.exec(text) ?? [];
  if (second === undefined || (!isUtc && element?.tag !== TAG.generalizedTime)) throw fault(what);
  // In RFC 5280, two digits from 50 on mean the last century.
  const full = isUtc ? (Number(year) >= 50 ? '19' : '20') + year : year;
  const time = new Date(`${full}-${month}-${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}Z`);
  if (Number.isNaN(time.getTime())) throw fault(what);
  return time;
}

function readAt(bytes: Bytes, at: number): Der {
  const tag = bytes[at];
  const first = bytes[at + 1];
  // Tags beyond 30 have a second byte, and never occur here.
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw fault('An element');
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  if (first === 0x80 || lengthBytes > 3) throw fault('A length');
  let length = first;
  if (lengthBytes > 0) {
    length = 0;
    for (let next = 0; next < lengthBytes; next++) length = length * 256 + (bytes[at + 2 + next] ?? Number.NaN);
    if (!(length >= 0x80) || length < 256 ** (lengthBytes - 1)) throw fault('A length');
  }
  const start = at + 2 + lengthBytes;
  if (start + length > bytes.length) throw fault('A length');
  // Not copied: a list of revoked certificates has thousands of elements.
  return { tag, whole: bytes.subarray(at, start + length), content: bytes.subarray(start, start + length) };
}

function fault(what: string): ProofError {
  return new ProofError(`${what} is not in DER, or not what is expected there.`);
}
