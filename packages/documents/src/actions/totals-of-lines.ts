import { JsonObject, type LosslessJson } from '@waybill/client';
import { Decimal } from '../decimal.ts';
import { DocumentPart } from '../document-part.ts';
import { digitsOf, sumOfComputed, sumOfList } from '../rules/amounts.ts';
import { totalOf } from '../rules/lines.ts';
import { basesOf } from '../rules/taxes.ts';
import { type Fields, objectOf } from './fill.ts';

/** A line with the total that its quantity and price come to, if it has none. */
export function withTotal(line: JsonObject, currency: LosslessJson | undefined): JsonObject {
  const part = new DocumentPart(line);
  if (part.has('total')) return line;
  const digits = digitsOf(new DocumentPart(objectOf([['currency', currency]])));
  const total = totalOf(part, digits)?.amount.toString(digits);
  return total === undefined ? line : new JsonObject([...line.members, ['total', total]]);
}

/** The totals of a document with these lines, discounts and charges. Without prices or rates, there are those only that are known. */
export function totalsOf(head: Fields, lines: readonly JsonObject[], taxes?: LosslessJson): Fields {
  const document = new DocumentPart(objectOf([...Object.entries(head), ['lines', [...lines]]]));
  const digits = digitsOf(document);
  const written = (amount: Decimal | undefined) => amount?.toString(digits);
  const listed = (list: string) => (document.has(list) ? sumOfList(document, list, 'amount') : undefined);
  const [discounts, charges] = [listed('discounts'), listed('charges')];
  const subtotal = document.isCut('lines')
    ? undefined
    : sumOfComputed(document.parts('lines').map((line) => totalOf(line, digits)))?.amount;
  if (!subtotal || lines.length === 0) return {};
  const net = subtotal.minus(discounts ?? Decimal.ZERO).plus(charges ?? Decimal.ZERO);
  const sums = {
    lines_total: written(subtotal),
    discount_total: written(discounts),
    charge_total: written(charges),
    net_total: written(net),
  };
  const rates = taxesOf(document, taxes, digits);
  if (!rates) return sums;
  const tax = rates.reduce((sum, { amount }) => sum.plus(amount), Decimal.ZERO);
  return { ...sums, taxes: rates.map(({ row }) => row), tax_total: written(tax), total: written(net.plus(tax)) };
}

/** Codes and reasons are those of the row that the source has for the rate. Undefined: a rate is not known. */
function taxesOf(document: DocumentPart, known: LosslessJson | undefined, digits: number) {
  const categories = new Map<string, DocumentPart>();
  for (const row of new DocumentPart(objectOf([['taxes', known]])).parts('taxes')) {
    const rate = row.decimal('rate')?.toString();
    if (rate !== undefined) categories.set(rate, row);
  }
  const rows: { row: JsonObject; amount: Decimal }[] = [];
  for (const [rate, { net: parts }] of basesOf(document) ?? []) {
    const net = sumOfComputed(parts)?.amount;
    const factor = Decimal.parse(rate)?.times(Decimal.unit(2));
    if (!net || !factor) return undefined;
    const amount = net.times(factor).rounded(digits);
    const row = objectOf([
      ['rate', rate],
      ['category', categories.get(rate)?.text('category')],
      ['net', net.toString(digits)],
      ['tax', amount.toString(digits)],
      ['exemption_reason', categories.get(rate)?.text('exemption_reason')],
    ]);
    rows.push({ row, amount });
  }
  return rows.length === 0 ? undefined : rows;
}
