import { Decimal } from '../decimal.ts';
import type { DocumentPart } from '../document-part.ts';
import type { Computed, Expectation, Warning } from '../document-type.ts';
import { compare, digitsOf, exactly, optional, sumOfComputed } from './amounts.ts';

const ONE = Decimal.unit(0);

/** quantity × price, less discount, plus charge. May differ by one minor unit where the product was rounded. */
function lineTotal(line: DocumentPart, digits: number): Computed | undefined {
  const [quantity, price] = [line.decimal('quantity'), line.decimal('price')];
  const priceQuantity = line.has('price_quantity') ? line.decimal('price_quantity') : ONE;
  const [discount, charge] = [optional(line, 'discount'), optional(line, 'charge')];
  if (!quantity || !price || !priceQuantity || !discount || !charge) return undefined;
  const product = quantity.times(price);
  const rounded = product.dividedBy(priceQuantity, digits);
  if (!rounded) return undefined;
  const isExact = rounded.times(priceQuantity).equals(product);
  return { amount: rounded.minus(discount).plus(charge), tolerance: isExact ? Decimal.ZERO : Decimal.unit(digits) };
}

/** The total of a line as given, or as computed if it is not. */
export function totalOf(line: DocumentPart, digits: number): Computed | undefined {
  return line.has('total') ? exactly(line.decimal('total')) : lineTotal(line, digits);
}

export function* lineTotals(document: DocumentPart): Iterable<Expectation> {
  const digits = digitsOf(document);
  for (const line of document.parts('lines')) {
    const formula = `quantity × price${line.has('discount') ? ' − discount' : ''}${line.has('charge') ? ' + charge' : ''}`;
    yield* compare(line, 'total', 'line_total', formula, lineTotal(line, digits), digits);
  }
}

export function* linesTotal(document: DocumentPart): Iterable<Expectation> {
  if (document.isCut('lines')) return;
  yield* compare(document, 'lines_total', 'lines_total', 'sum of the lines', sumOfLines(document), digitsOf(document));
}

/** Undefined: the total of a line is unknown, or there are more lines than are checked. */
export function sumOfLines(document: DocumentPart): Computed | undefined {
  const digits = digitsOf(document);
  return document.isCut('lines') ? undefined : sumOfComputed(document.parts('lines').map((line) => totalOf(line, digits)));
}

export function* lineNumbers(document: DocumentPart): Iterable<Warning> {
  const seen = new Set<string>();
  for (const line of document.parts('lines')) {
    const id = line.text('id');
    if (id === undefined) continue;
    if (seen.has(id)) yield { path: line.at('id'), code: 'line_repeated', message: 'Another line has the same number.' };
    seen.add(id);
  }
}
