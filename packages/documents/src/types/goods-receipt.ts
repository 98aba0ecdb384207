import type { DocumentPart } from '../document-part.ts';
import { documentSchema } from '../document-schema.ts';
import type { DocumentType, Expectation, Warning } from '../document-type.ts';
import { despatchNumber, identity, note, orderNumber, parties } from '../head.ts';
import { itemLine, itemTable, lines, orderLine } from '../lines.ts';
import { date, decimal, longText } from '../properties.ts';
import { compare, exactly, optional } from '../rules/amounts.ts';
import { notBefore, refersTo } from '../rules/head.ts';
import { lineNumbers } from '../rules/lines.ts';
import { acme, bearing, globex, handbook, pieces, seal } from '../story.ts';

const description = 'A buyer says what has arrived, what is missing, and what is sent back.';

/** What was despatched has arrived, or is missing. */
function* despatched(document: DocumentPart): Iterable<Expectation> {
  for (const line of document.parts('lines')) {
    const short = optional(line, 'short_quantity');
    const sum = short && line.decimal('quantity')?.plus(short);
    yield* compare(line, 'despatched_quantity', 'despatched_quantity', 'received + missing', exactly(sum), 0);
  }
}

/** No more is rejected than has arrived. */
function* rejected(document: DocumentPart): Iterable<Warning> {
  for (const line of document.parts('lines')) {
    const [received, back] = [line.decimal('quantity'), line.decimal('rejected_quantity')];
    if (received && back && back.compare(received) > 0)
      yield {
        path: line.at('rejected_quantity'),
        code: 'rejected_quantity',
        message: `Expected at most ${received}, which is what arrived.`,
      };
  }
}

export const goodsReceipt: DocumentType = {
  type: 'goods.receipt',
  title: 'Goods receipt',
  description,
  version: 1,
  schema: documentSchema('Goods receipt', description, ['number', 'issue_date', 'buyer', 'lines'], {
    ...identity('goods receipt'),
    despatch_number: despatchNumber,
    order_number: orderNumber,
    receipt_date: date('Received', 'Day on which the goods arrived.', { en: 'BT-72', ubl: 'cac:ReceiptLine/cbc:ReceivedDate' }),
    ...parties('cac:DeliveryCustomerParty', 'cac:DespatchSupplierParty'),
    lines: lines(
      ['name', 'quantity'],
      {
        ...itemLine('cbc:ReceivedQuantity', 'How many units arrived, those included that are rejected.'),
        order_line: orderLine,
        despatched_quantity: decimal('Despatched', 'How many units the despatch advice has.'),
        short_quantity: decimal('Missing', 'How many units of those despatched did not arrive.', { ubl: 'cbc:ShortQuantity' }),
        rejected_quantity: decimal('Rejected', 'How many units of those received are not accepted.', { ubl: 'cbc:RejectedQuantity' }),
        reject_reason: longText('Reason', 'Why units are rejected.', { ubl: 'cbc:RejectReason' }),
      },
      'cac:ReceiptLine',
    ),
    note,
  }),
  layout: {
    number: '/number',
    parties: ['/buyer', '/seller'],
    facts: [{ path: '/issue_date' }, { path: '/receipt_date' }, { path: '/despatch_number' }, { path: '/order_number' }],
    lines: itemTable(
      [
        { path: '/despatched_quantity', format: 'quantity' },
        { path: '/short_quantity', format: 'quantity' },
        { path: '/rejected_quantity', format: 'quantity' },
      ],
      [{ path: '/order_line' }, { path: '/reject_reason' }],
    ),
    tables: [],
    totals: [],
    terms: [],
    notes: ['/note'],
  },
  samples: [
    {
      number: 'GR-90015',
      issue_date: '2026-10-22',
      despatch_number: 'DN-2026-3307',
      order_number: 'PO-4711',
      receipt_date: '2026-10-22',
      buyer: acme,
      seller: globex,
      lines: [
        {
          ...{ ...bearing, ...pieces(200), order_line: '1', despatched_quantity: 200 },
          ...{ rejected_quantity: 4, reject_reason: 'The seals of four bearings are dented.' },
        },
        { ...seal, ...pieces(150), order_line: '2', despatched_quantity: 150 },
        { ...handbook, ...pieces(2), order_line: '3', despatched_quantity: 2 },
      ],
    },
  ],
  rules: [lineNumbers, despatched, rejected, refersTo('despatch_number'), notBefore('issue_date', 'receipt_date')],
};
