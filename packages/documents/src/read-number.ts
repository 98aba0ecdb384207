/** How a text reads as a number: the number as JSON has it, or two numbers that it could be, with a decimal point and with a decimal comma. */
export type ReadNumber = { number: string } | { withPoint: string; withComma: string };

export type DecimalMark = 'point' | 'comma';

const SPACES = /[\s\u00a0\u202f\u2009]/g;
/** Marks that only ever group digits. */
const GROUPED_BY = /^\d{1,3}(?:['’ \u00a0\u202f\u2009]\d{3})+(?=[.,]|$)/;
const CANONICAL = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;
const CURRENCY = /^(?:[A-Z]{3}|[€$£¥])\s*|\s*(?:[A-Z]{3}|[€$£¥%])$/g;

/**
 * Reads a number as people and spreadsheets of any country write it: 1.234,56 and 1,234.56 and 1 234,56 €. Undefined: the text is no number. A text
 * such as 1.234 or 1,234 could be two numbers; `mark` decides, if it is known.
 */
export function readNumber(text: string, mark?: DecimalMark): ReadNumber | undefined {
  const bare = text.trim().replace(CURRENCY, '').trim();
  const [, sign = '', unsigned = ''] = /^([-−+]?)\s*(.*?)$/s.exec(bare) ?? [];
  const minus = sign === '-' || sign === '−' ? '-' : '';
  const ungrouped = GROUPED_BY.test(unsigned) ? unsigned.replace(SPACES, '').replaceAll(/['’]/g, '') : unsigned;
  if (!/^\d[\d.,]*$|^[.,]\d+$/.test(ungrouped)) return undefined;
  const number = (digits: string | undefined) => (digits === undefined ? undefined : `${minus}${digits}`);
  const withPoint = number(readWith(ungrouped, '.', ','));
  const withComma = number(readWith(ungrouped, ',', '.'));
  if (withPoint === undefined || withComma === undefined || withPoint === withComma) {
    const only = withPoint ?? withComma;
    return only === undefined ? undefined : { number: only };
  }
  if (mark) return { number: mark === 'point' ? withPoint : withComma };
  return { withPoint, withComma };
}

/** The digits with a point, if the text is a number with this decimal mark and this mark between groups of three. */
function readWith(text: string, decimal: string, group: string): string | undefined {
  const [whole = '', fraction, ...more] = text.split(decimal);
  if (more.length > 0 || fraction?.includes(group) || fraction === '') return undefined;
  const groups = whole.split(group);
  const [first = '', ...rest] = groups;
  const isGrouped = rest.length === 0 || (/^[1-9]\d{0,2}$/.test(first) && rest.every((one) => /^\d{3}$/.test(one)));
  if (!isGrouped) return undefined;
  const digits = groups.join('').replace(/^0+(?=\d)/, '') || '0';
  const read = fraction === undefined ? digits : `${digits}.${fraction}`;
  return CANONICAL.test(read) ? read : undefined;
}

/** The decimal mark that the numbers among these texts prove. Undefined: they prove none, or contradict each other. */
export function decimalMarkOf(texts: Iterable<string>): DecimalMark | undefined {
  const proven = new Set<DecimalMark>();
  for (const text of texts) {
    const read = readNumber(text);
    if (!read || !('number' in read) || !/[.,]/.test(text)) continue;
    const decimal = /([.,])\d+\D*$/.exec(text)?.[1];
    const isFraction = read.number.includes('.');
    // 1.234.567 proves by its groups, 3,5 by its fraction.
    proven.add((decimal === '.') === isFraction ? 'point' : 'comma');
  }
  const [mark] = proven;
  return proven.size === 1 ? mark : undefined;
}
