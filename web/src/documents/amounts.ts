import { amount } from '../ui/format.ts';

/* Formats of documents, which no first load needs: so they are not in ui/format.ts. */

const CURRENCY = /^[A-Z]{3}$/;

const formats = new Map<string, Intl.NumberFormat>();

function kept(name: string, make: () => Intl.NumberFormat): Intl.NumberFormat {
  const format = formats.get(name) ?? make();
  if (formats.size < 200) formats.set(name, format);
  return format;
}

export function percentage(text: string): string {
  return inPattern(
    kept('%', () => new Intl.NumberFormat(undefined, { style: 'percent', numberingSystem: 'latn' })),
    text,
  );
}

export function money(text: string, currency: string | undefined): string {
  if (currency === undefined) return amount(text);
  if (!CURRENCY.test(currency)) return `${amount(text)} ${currency}`;
  const options = { style: 'currency', currency, maximumFractionDigits: 0, numberingSystem: 'latn' } as const;
  return inPattern(
    kept(currency, () => new Intl.NumberFormat(undefined, options)),
    text,
  );
}

/** Puts the digits where a format has those of an integer, because formats round numbers. */
function inPattern(format: Intl.NumberFormat, text: string): string {
  const isNegative = text.startsWith('-');
  const digits = amount(isNegative ? text.slice(1) : text);
  return format
    .formatToParts(isNegative ? -1 : 1)
    .map(({ type, value }) => (type === 'integer' ? digits : value))
    .join('');
}

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** The English name of a country, or the text itself. */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (COUNTRIES.of(code) ?? code) : code;
}
