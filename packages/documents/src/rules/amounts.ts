import { minorDigits } from '../currency.ts';
import { Decimal } from '../decimal.ts';
import type { DocumentPart } from '../document-part.ts';
import type { Computed, Expectation, Finding, Warning } from '../document-type.ts';

/** The digits behind the point in amounts of a document. */
export function digitsOf(document: DocumentPart): number {
  return minorDigits(document.text('currency'));
}

/** Compares an amount, if it is given, with the computed one. */
export function* compare(
  part: DocumentPart,
  name: string,
  code: string,
  formula: string,
  computed: Computed | undefined,
  digits: number,
): Iterable<Expectation> {
  yield { part, name, code, formula, computed, digits };
}

/** Undefined: the amount is as expected, or one of the two is unknown. */
export function warningOf(finding: Finding): Warning | undefined {
  if ('message' in finding) return finding;
  const { part, name, code, formula, computed, digits } = finding;
  const given = part.decimal(name);
  if (!given || !computed || given.isWithin(computed.tolerance, computed.amount)) return undefined;
  const [expected, found] = [computed.amount.toString(digits), given.toString(digits)];
  return { path: part.at(name), code, message: `Expected ${expected} (${formula}), not ${found}.` };
}

export function exactly(amount: Decimal | undefined): Computed | undefined {
  return amount && { amount, tolerance: Decimal.ZERO };
}

/** The amount of an optional property: zero if it is missing, undefined if it can't be read. */
export function optional(part: DocumentPart, name: string): Decimal | undefined {
  return part.has(name) ? part.decimal(name) : Decimal.ZERO;
}

/** Undefined: one of the amounts is unknown. */
export function sumOf(amounts: Iterable<Decimal | undefined>): Decimal | undefined {
  let sum = Decimal.ZERO;
  for (const amount of amounts) {
    if (!amount) return undefined;
    sum = sum.plus(amount);
  }
  return sum;
}

export function sumOfComputed(all: Iterable<Computed | undefined>): Computed | undefined {
  let [amount, tolerance] = [Decimal.ZERO, Decimal.ZERO];
  for (const one of all) {
    if (!one) return undefined;
    amount = amount.plus(one.amount);
    tolerance = tolerance.plus(one.tolerance);
  }
  return { amount, tolerance };
}

/** The sum of one property of the rows of a list: zero without rows, undefined for a list that is longer than what is checked. */
export function sumOfList(document: DocumentPart, list: string, name: string): Decimal | undefined {
  return document.isCut(list) ? undefined : sumOf(document.parts(list).map((row) => row.decimal(name)));
}
