import type { DocumentPart } from '../document-part.ts';
import type { Rule, Warning } from '../document-type.ts';

/** The lists of all types whose rows can have amounts. */
const LISTS = ['lines', 'discounts', 'charges', 'taxes', 'results'];

/** A rule that one day is not before another. */
export function notBefore(name: string, earlier: string): Rule {
  return function* (document) {
    const [day, limit] = [document.date(name), document.date(earlier)];
    if (day !== undefined && limit !== undefined && day < limit)
      yield { path: document.at(name), code: 'date_order', message: `Expected ${limit} (${label(earlier)}) or later, not ${day}.` };
  };
}

/** A rule that the document names another one, which it follows from. */
export function refersTo(name: string): Rule {
  return function* (document) {
    if (!document.has(name)) yield { path: '', code: 'reference_missing', message: `The document has no ${label(name)}.` };
  };
}

/** All amounts are in the currency of the document: a row that names one of its own must name the same. */
export function* oneCurrency(document: DocumentPart): Iterable<Warning> {
  const currency = document.text('currency');
  if (currency === undefined) return;
  const parts = [document.part('payment'), ...LISTS.flatMap((list) => document.parts(list))];
  for (const part of parts) {
    const own = part.text('currency');
    if (own !== undefined && own !== currency)
      yield { path: part.at('currency'), code: 'currency', message: `Expected ${currency}, the currency of the document.` };
  }
}

/** Numbers with too many digits and lists with too many rows take no part in the rules, and this one says so. */
export function* checkable(document: DocumentPart): Iterable<Warning> {
  for (const list of LISTS)
    if (document.isCut(list)) yield { path: document.at(list), code: 'list_too_long', message: 'The list is too long to check its sums.' };
  for (const part of [document, ...LISTS.flatMap((list) => document.parts(list))])
    for (const name of part.numbersTooLong())
      yield { path: part.at(name), code: 'number_too_long', message: 'The number has too many digits to be checked.' };
}

const label = (name: string) => name.replaceAll('_', ' ');
