import { Decimal } from '../decimal.ts';
import type { DocumentPart } from '../document-part.ts';
import type { Rule } from '../document-type.ts';
import { compare, digitsOf, exactly, optional, sumOfList } from './amounts.ts';
import { lineNumbers, linesTotal, lineTotals } from './lines.ts';
import { taxAmounts, taxBases, taxTotal } from './taxes.ts';

/** A total as given, or the sum of its list if it is not. */
const givenOrSum = (document: DocumentPart, name: string, list: string, amount: string) =>
  document.has(name) ? document.decimal(name) : sumOfList(document, list, amount);

const discounts = (document: DocumentPart) => givenOrSum(document, 'discount_total', 'discounts', 'amount');
const charges = (document: DocumentPart) => givenOrSum(document, 'charge_total', 'charges', 'amount');
const tax = (document: DocumentPart) => givenOrSum(document, 'tax_total', 'taxes', 'tax');

/** What a total is made of: amounts that are added, and amounts that are deducted. Undefined: one of them is unknown. */
function combined(added: (Decimal | undefined)[], deducted: (Decimal | undefined)[] = []): Decimal | undefined {
  const all = [...added, ...deducted.map((amount) => amount?.times(-1))];
  return all.reduce((sum, amount) => sum && amount && sum.plus(amount), Decimal.ZERO);
}

/** A rule that a total is what its parts come to, to the last digit. */
export function total(name: string, formula: string, compute: (document: DocumentPart) => Decimal | undefined): Rule {
  return (document) => compare(document, name, name, formula, exactly(compute(document)), digitsOf(document));
}

/** The rules of documents with priced lines and totals. */
export const PRICED: readonly Rule[] = [
  lineNumbers,
  lineTotals,
  linesTotal,
  total('discount_total', 'sum of the discounts', (document) => sumOfList(document, 'discounts', 'amount')),
  total('charge_total', 'sum of the charges', (document) => sumOfList(document, 'charges', 'amount')),
  total('net_total', 'subtotal − discounts + charges', (document) =>
    combined([document.decimal('lines_total'), charges(document)], [discounts(document)]),
  ),
  taxBases,
  taxAmounts,
  taxTotal,
  total('total', 'net total + tax', (document) => combined([document.decimal('net_total'), tax(document)])),
];

/** The rule of what is left to pay. */
export const payable = total('payable', 'total − prepaid + rounding', (document) =>
  combined([document.decimal('total'), optional(document, 'rounding')], [optional(document, 'prepaid')]),
);
