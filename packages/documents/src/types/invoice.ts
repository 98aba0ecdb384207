import { documentSchema } from '../document-schema.ts';
import type { DocumentType } from '../document-type.ts';
import { contractNumber, currency, deliverTo, despatchNumber, identity, note, orderNumber, parties, paymentTerms } from '../head.ts';
import { lines, orderLine, pricedLine, pricedTable } from '../lines.ts';
import { date, partOf, text } from '../properties.ts';
import { notBefore, refersTo } from '../rules/head.ts';
import { PRICED, payable as payableRule } from '../rules/totals.ts';
import * as story from '../story.ts';
import { ADJUSTMENTS, BILL_REQUIRED, PAYABLE, payable, TAXES, TOTALS, totals } from '../totals.ts';

const description = 'A seller asks a buyer to pay for what was supplied.';

export const invoice: DocumentType = {
  type: 'invoice',
  title: 'Invoice',
  description,
  version: 1,
  schema: documentSchema('Invoice', description, BILL_REQUIRED, {
    ...identity('invoice', true),
    due_date: date('Due', 'Last day on which the amount due can be paid in time.', { en: 'BT-9', ubl: 'cbc:DueDate' }),
    currency: currency(),
    ...parties('cac:AccountingCustomerParty', 'cac:AccountingSupplierParty'),
    buyer_reference: text('Your reference', 'What the buyer wants to read here, such as a cost centre.', {
      en: 'BT-10',
      ubl: 'cbc:BuyerReference',
    }),
    order_number: orderNumber,
    despatch_number: despatchNumber,
    contract_number: contractNumber('cac:ContractDocumentReference/cbc:ID'),
    deliver_to: deliverTo,
    delivery_date: date('Delivered', 'Day on which the goods arrived, or the service was complete.', {
      en: 'BT-72',
      ubl: 'cac:Delivery/cbc:ActualDeliveryDate',
    }),
    payment_terms: paymentTerms,
    payment: partOf('payment', 'Payment', 'Where to pay to.', { en: 'BG-16', ubl: 'cac:PaymentMeans' }),
    lines: lines(
      ['id', 'name', 'quantity', 'price', 'total'],
      { ...pricedLine('cbc:InvoicedQuantity', 'How many units are invoiced.'), order_line: orderLine },
      'cac:InvoiceLine',
    ),
    ...totals('cac:LegalMonetaryTotal'),
    ...payable(),
    note,
  }),
  layout: {
    number: '/number',
    currency: '/currency',
    parties: ['/seller', '/buyer', '/deliver_to'],
    facts: [
      { path: '/issue_date' },
      { path: '/due_date' },
      { path: '/delivery_date' },
      { path: '/order_number' },
      { path: '/despatch_number' },
      { path: '/contract_number' },
      { path: '/buyer_reference' },
    ],
    lines: pricedTable([], [{ path: '/order_line' }]),
    tables: [...ADJUSTMENTS, TAXES],
    totals: [...TOTALS, ...PAYABLE],
    terms: [
      { path: '/payment_terms' },
      { path: '/payment/account' },
      { path: '/payment/account_name' },
      { path: '/payment/bank' },
      { path: '/payment/reference' },
    ],
    notes: ['/note'],
  },
  samples: [
    {
      number: 'INV-2026-0442',
      issue_date: '2026-10-21',
      due_date: '2026-11-20',
      currency: 'EUR',
      seller: story.globex,
      buyer: story.acme,
      buyer_reference: 'Plant 2, cost centre 4410',
      order_number: 'PO-4711',
      despatch_number: 'DN-2026-3307',
      deliver_to: story.plant,
      delivery_date: '2026-10-22',
      payment_terms: story.paymentTerms,
      payment: { account: 'DE02120300000000202051', account_name: 'Globex Wälzlager AG', reference: 'INV-2026-0442' },
      lines: [
        { ...story.bearings, order_line: '1' },
        { ...story.moreSeals, order_line: '2' },
        { ...story.handbooks, ...story.pieces(2), order_line: '3', total: '59.80' },
      ],
      ...story.invoiced,
    },
  ],
  rules: [...PRICED, payableRule, refersTo('order_number'), notBefore('due_date', 'issue_date')],
};
