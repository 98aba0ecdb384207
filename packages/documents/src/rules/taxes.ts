import { Decimal } from '../decimal.ts';
import type { DocumentPart } from '../document-part.ts';
import type { Computed, Expectation, Finding } from '../document-type.ts';
import { compare, digitsOf, exactly, sumOfComputed, sumOfList } from './amounts.ts';
import { totalOf } from './lines.ts';

/** All that is taxed at one rate. */
interface Base {
  net: (Computed | undefined)[];
  path: string;
}

/** What each rate applies to, by the rate without needless zeros. Undefined: it is not known of everything. */
export function basesOf(document: DocumentPart): Map<string, Base> | undefined {
  if (['lines', 'discounts', 'charges'].some((list) => document.isCut(list))) return undefined;
  const bases = new Map<string, Base>();
  const add = (part: DocumentPart, net: Computed | undefined): boolean => {
    const rate = part.decimal('tax_rate')?.toString();
    if (rate === undefined) return false;
    const base = bases.get(rate) ?? { net: [], path: part.at('tax_rate') };
    base.net.push(net);
    bases.set(rate, base);
    return true;
  };
  const amount = (part: DocumentPart) => part.decimal('amount');
  const digits = digitsOf(document);
  const isKnown = [
    ...document.parts('lines').map((line) => add(line, totalOf(line, digits))),
    ...document.parts('discounts').map((part) => add(part, exactly(amount(part)?.times(-1)))),
    ...document.parts('charges').map((part) => add(part, exactly(amount(part)))),
  ];
  return isKnown.every(Boolean) ? bases : undefined;
}

/** Each rate of lines, discounts and charges has one row, with the sum of what it applies to. */
export function* taxBases(document: DocumentPart): Iterable<Finding> {
  const bases = basesOf(document);
  if (!document.has('taxes') || document.isCut('taxes')) return;
  const digits = digitsOf(document);
  if (!bases) {
    for (const row of document.parts('taxes')) yield* compare(row, 'net', 'tax_base', '', undefined, digits);
    return;
  }
  const missing = new Map(bases);
  for (const row of document.parts('taxes')) {
    const rate = row.decimal('rate')?.toString();
    if (rate === undefined) continue;
    const base = bases.get(rate);
    // Two rows of one rate, with different categories, share its base: only the sum of both could be checked.
    if (base && !missing.delete(rate)) return;
    const net = sumOfComputed(base?.net ?? []);
    yield* compare(row, 'net', 'tax_base', `sum of what is taxed at ${rate} %`, net, digits);
  }
  for (const [rate, { path }] of missing) yield { path, code: 'tax_rate', message: `The taxes have no row for ${rate} %.` };
}

/** net × rate, rounded. May differ by one minor unit for each line, because some senders round the tax of each line. */
export function* taxAmounts(document: DocumentPart): Iterable<Expectation> {
  const digits = digitsOf(document);
  const bases = basesOf(document);
  for (const row of document.parts('taxes')) {
    const [rate, net] = [row.decimal('rate'), row.decimal('net')];
    if (!rate || !net) {
      yield* compare(row, 'tax', 'tax_amount', '', undefined, digits);
      continue;
    }
    const lines = bases?.get(rate.toString())?.net.length ?? 1;
    const amount = net.times(rate).times(Decimal.unit(2)).rounded(digits);
    const tolerance = rate.isZero ? Decimal.ZERO : Decimal.unit(digits).times(lines);
    yield* compare(row, 'tax', 'tax_amount', `${rate} % of ${net}`, { amount, tolerance }, digits);
  }
}

export function* taxTotal(document: DocumentPart): Iterable<Expectation> {
  if (!document.has('taxes')) return;
  const sum = exactly(sumOfList(document, 'taxes', 'tax'));
  yield* compare(document, 'tax_total', 'tax_total', 'sum of the taxes', sum, digitsOf(document));
}
