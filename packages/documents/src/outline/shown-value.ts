import { JsonNumber, type LosslessJson } from '@waybill/client';
import { minorDigits } from '../currency.ts';
import { Decimal } from '../decimal.ts';
import type { Format } from '../document-type.ts';

/** A value without parts, as it was sent: a number keeps its digits. */
export type Scalar = string | boolean | JsonNumber;

/** No-break space, so that a number stays on one line. It groups digits in every language (ISO 80000-1). */
const GROUP = '\u{a0}';

export function isScalar(value: LosslessJson | undefined): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || value instanceof JsonNumber;
}

/** The text as it was sent. */
export function rawText(value: Scalar): string {
  return value instanceof JsonNumber ? value.text : String(value);
}

/** The exact number that a value is. Undefined: it is none. */
export function decimalIn(value: Scalar): Decimal | undefined {
  return typeof value === 'boolean' ? undefined : Decimal.parse(rawText(value));
}

/** The text that a reader sees: amounts with grouped digits and all the digits of the currency. Nothing is rounded. */
export function shownText(value: Scalar, format?: Format, currency?: string): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  const number = format === undefined ? undefined : decimalIn(value);
  if (number === undefined) return rawText(value);
  const text = grouped(number.toString(format === 'money' ? minorDigits(currency) : 0));
  return format === 'percent' ? `${text}${GROUP}%` : text;
}

function grouped(number: string): string {
  const [whole = '', fraction] = number.split('.');
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, GROUP);
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}
