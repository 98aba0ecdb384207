import type { JsonObject, LosslessJson } from '@waybill/client';
import { DocumentPart } from '../document-part.ts';
import { digitsOf } from '../rules/amounts.ts';
import { sumOfLines } from '../rules/lines.ts';
import { basesOf } from '../rules/taxes.ts';
import { chosenLines, type Fields, type Filling, NewDocument, objectOf, writeIndented } from './fill.ts';
import { dateIn, SourceDocument, type Values } from './source-document.ts';

/**
 * Makes the JSON text of a new document from the text of the one that it follows from. Amounts, quantities and names stay as they are written. Takes
 * any text: what it does not have is missing in the result.
 */
export type Prefill = (json: string, filling: Filling) => string;

const SUMS = ['discounts', 'charges', 'lines_total', 'discount_total', 'charge_total', 'net_total', 'taxes', 'tax_total', 'total'];
const NO_SUMS: Fields = Object.fromEntries(SUMS.map((name) => [name, undefined]));
const BILL_SUMS = ['lines_total', 'net_total', 'taxes', 'tax_total', 'total'];

/** `CN-INV-7`: a proposal, which the writer can change. */
function numberAfter(source: SourceDocument, prefix: string): string | undefined {
  const number = source.number('number');
  return number === undefined ? undefined : `${prefix}-${number}`.slice(0, 200);
}

function identity(number: string | undefined, { today }: Filling): Fields {
  return { number, issue_date: today };
}

/** Of a document about an order, which an order itself is. */
const orderOf = (source: SourceDocument, type: string) => source.number(type === 'order' ? 'number' : 'order_number');

const listOf = (lines: readonly JsonObject[]): LosslessJson | undefined => (lines.length === 0 ? undefined : [...lines]);

/** A day that is over can't be promised or wanted any more. */
const notOver = (day: string | undefined, today: string) => (day !== undefined && day >= today ? day : undefined);

/** Cancelled and rejected lines have the quantity 0, and nothing follows from them. */
const isAlive = ({ values }: { values: Values }) => !new DocumentPart(objectOf([...values])).decimal('quantity')?.isZero;

/** Status: of the order as a whole. Its lines are accepted until the writer changes one. */
export const confirmation =
  (type: 'order' | 'order.change', status: 'accepted' | 'changed'): Prefill =>
  (json, filling) => {
    const source = new SourceDocument(json);
    const made = new NewDocument('order.confirmation');
    const wanted = source.date('requested_delivery_date');
    const lines = chosenLines(source, undefined).map(({ id, values }) => {
      const promised = notOver(dateIn(values, 'requested_delivery_date') ?? wanted, filling.today);
      return made.line(values, { id, status: 'accepted', promised_date: promised });
    });
    const number = filling.number ?? numberAfter(source, 'OC');
    const fields = {
      ...identity(number, filling),
      order_number: orderOf(source, type),
      status,
      reason: filling.reason,
      lines: listOf(lines),
    };
    return made.write(source, fields, filling, 'seller');
  };

export const rejection =
  (type: 'order' | 'order.change'): Prefill =>
  (json, filling) => {
    const source = new SourceDocument(json);
    const number = filling.number ?? numberAfter(source, 'OC');
    const gone = { ...NO_SUMS, currency: undefined, deliver_to: undefined, delivery_terms: undefined, payment_terms: undefined };
    const fields = {
      ...gone,
      ...identity(number, filling),
      order_number: orderOf(source, type),
      status: 'rejected',
      reason: filling.reason,
    };
    return new NewDocument('order.confirmation').write(source, fields, filling, 'seller');
  };

export const orderChange: Prefill = (json, filling) => {
  const source = new SourceDocument(json);
  const made = new NewDocument('order.change');
  const lines = chosenLines(source, undefined).map(({ id, values }) => {
    const wanted = notOver(dateIn(values, 'requested_delivery_date'), filling.today);
    return made.line(values, { id, change: 'unchanged', requested_delivery_date: wanted });
  });
  const number = source.number('number');
  const fields = {
    ...identity(filling.number ?? (number === undefined ? undefined : `${number}-1`.slice(0, 200)), filling),
    order_number: source.number('order_number') ?? number,
    requested_delivery_date: notOver(source.date('requested_delivery_date'), filling.today),
    reason: filling.reason,
    lines: listOf(lines),
  };
  return made.write(source, fields, filling, 'buyer');
};

export const quote: Prefill = (json, filling) => {
  const source = new SourceDocument(json);
  const made = new NewDocument('quote');
  const lines = chosenLines(source, filling.lines).map(({ values }) => made.line(values, {}));
  const number = filling.number ?? numberAfter(source, 'Q');
  const fields = { ...identity(number, filling), request_number: source.number('number'), lines: listOf(lines) };
  return made.write(source, fields, filling, 'seller');
};

export const order: Prefill = (json, filling) => {
  const source = new SourceDocument(json);
  const made = new NewDocument('order');
  const lines = chosenLines(source, filling.lines).map(({ id, values }) => made.line(values, { id }));
  const number = filling.number ?? numberAfter(source, 'PO');
  const fields = { ...identity(number, filling), quote_number: source.number('number'), lines: listOf(lines) };
  if (!filling.lines) return made.write(source, fields, filling, 'buyer');
  return made.writeWithTotals(source, { ...fields, ...sumsOfChosen(source, lines) }, filling, 'buyer');
};

export const despatch =
  (type: string): Prefill =>
  (json, filling) => {
    const source = new SourceDocument(json);
    const made = new NewDocument('despatch');
    const alive = chosenLines(source, filling.lines).filter(isAlive);
    const lines = alive.map(({ id, values }) => made.line(values, { id, order_line: id }));
    const number = filling.number ?? numberAfter(source, 'DN');
    const { today } = filling;
    const fields = { ...identity(number, filling), order_number: orderOf(source, type), despatch_date: today, lines: listOf(lines) };
    return made.write(source, fields, filling, 'seller');
  };

export const goodsReceipt: Prefill = (json, filling) => {
  const source = new SourceDocument(json);
  const made = new NewDocument('goods.receipt');
  const lines = chosenLines(source, undefined).map(({ id, values }) =>
    made.line(values, { id, despatched_quantity: values.get('quantity') }),
  );
  const number = filling.number ?? numberAfter(source, 'GR');
  const fields = {
    ...identity(number, filling),
    despatch_number: source.number('number'),
    receipt_date: filling.today,
    lines: listOf(lines),
  };
  return made.write(source, fields, filling, 'buyer');
};

/** Invoices have no proposed number: theirs have no gaps. */
export const invoice =
  (type: string): Prefill =>
  (json, filling) => {
    const source = new SourceDocument(json);
    const made = new NewDocument('invoice');
    const alive = chosenLines(source, filling.lines).filter(isAlive);
    const lines = alive.map(({ id, values }) => made.line(values, { id, order_line: id }));
    const sums = billSums(source, lines, filling);
    const fields = { ...identity(filling.number, filling), order_number: orderOf(source, type), ...sums, lines: listOf(lines) };
    return made.writeWithTotals(source, fields, filling, 'seller');
  };

export const creditNote: Prefill = (json, filling) => {
  const source = new SourceDocument(json);
  const made = new NewDocument('credit.note');
  const lines = chosenLines(source, filling.lines).map(({ id, values }) => made.line(values, { id }));
  const fields = {
    ...identity(filling.number, filling),
    invoice_number: source.number('number'),
    invoice_date: source.date('issue_date'),
    reason: filling.reason,
    // What was paid before is part of what is credited.
    ...{ prepaid: undefined, rounding: undefined },
    ...billSums(source, lines, filling),
    lines: listOf(lines),
  };
  return made.writeWithTotals(source, fields, filling, 'seller');
};

export const remittance: Prefill = (json, filling) => {
  const source = new SourceDocument(json);
  const amount = source.get('payable') ?? source.get('total');
  const line = objectOf([
    ['document_type', 'invoice'],
    ['document_number', source.number('number')],
    ['document_date', source.date('issue_date')],
    ['amount', amount],
    ['paid', amount],
  ]);
  const number = filling.number ?? numberAfter(source, 'PAY');
  const fields = { ...identity(number, filling), payment_date: filling.today, lines: [line], total: amount };
  return new NewDocument('remittance').write(source, fields, filling, 'buyer');
};

/** Which lines of an invoice a buyer disputes, and why. Not a document of the catalogue: no standard has one that names lines. */
export const dispute: Prefill = (json, filling) => {
  const source = new SourceDocument(json);
  const lines = chosenLines(source, filling.lines).map(({ id, values }) =>
    objectOf([
      ['invoice_line', id],
      ...['sku', 'name', 'quantity', 'unit', 'price', 'total'].map((name) => [name, values.get(name)] as const),
    ]),
  );
  return writeIndented(
    objectOf([
      ['issue_date', filling.today],
      ['invoice_number', source.number('number')],
      ['invoice_date', source.date('issue_date')],
      ['order_number', source.number('order_number')],
      ...['currency', 'buyer', 'seller'].map((name) => [name, source.get(name)] as const),
      ['reason', filling.reason],
      ['lines', listOf(lines)],
      ['disputed_total', disputedTotal(source, lines)],
    ]),
  );
};

function disputedTotal(source: SourceDocument, lines: readonly JsonObject[]): string | undefined {
  const disputed = linesPart(lines, source.get('currency'));
  return lines.length === 0 ? undefined : sumOfLines(disputed)?.amount.toString(digitsOf(disputed));
}

const linesPart = (lines: readonly JsonObject[], currency?: LosslessJson) =>
  new DocumentPart(
    objectOf([
      ['currency', currency],
      ['lines', [...lines]],
    ]),
  );

/** Discounts and charges of the whole document do not belong to chosen lines. The rates keep the codes and reasons that the source has for them. */
function sumsOfChosen(source: SourceDocument, lines: readonly JsonObject[]): Fields {
  const known = new DocumentPart(objectOf([['taxes', source.get('taxes')]])).parts('taxes');
  const ofRate = new Map(known.map((row) => [row.decimal('rate')?.toString(), row]));
  const rows = [...(basesOf(linesPart(lines))?.keys() ?? [])].map((rate) =>
    objectOf([
      ['rate', rate],
      ['category', ofRate.get(rate)?.text('category')],
      ['exemption_reason', ofRate.get(rate)?.text('exemption_reason')],
    ]),
  );
  return { ...NO_SUMS, taxes: listOf(rows) };
}

/** What is to be paid follows from the other sums, unless the source has all of them. */
function billSums(source: SourceDocument, lines: readonly JsonObject[], filling: Filling): Fields {
  const chosen = filling.lines && new Set(filling.lines);
  const isWhole = !chosen || source.lines.every(({ place }) => chosen.has(place));
  const isComplete = isWhole && BILL_SUMS.every((name) => source.get(name) !== undefined);
  return { ...(isWhole ? {} : sumsOfChosen(source, lines)), payable: isComplete ? source.get('total') : undefined };
}
