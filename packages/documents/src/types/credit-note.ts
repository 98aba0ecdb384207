import { documentSchema } from '../document-schema.ts';
import type { DocumentType } from '../document-type.ts';
import { currency, identity, note, orderNumber, parties } from '../head.ts';
import { lines, pricedLine, pricedTable } from '../lines.ts';
import { date, longText, text } from '../properties.ts';
import { notBefore, refersTo } from '../rules/head.ts';
import { PRICED, payable as payableRule } from '../rules/totals.ts';
import { acme, bearing, globex, pieces } from '../story.ts';
import { ADJUSTMENTS, BILL_REQUIRED, PAYABLE, payable, TAXES, TOTALS, totals } from '../totals.ts';

const description = 'A seller takes back an invoice, or a part of it. Amounts are positive: they are what the buyer gets.';

export const creditNote: DocumentType = {
  type: 'credit.note',
  title: 'Credit note',
  description,
  version: 1,
  schema: documentSchema('Credit note', description, BILL_REQUIRED, {
    ...identity('credit note', true),
    invoice_number: text('Invoice', 'Number of the invoice that is credited.', {
      en: 'BT-25',
      ubl: 'cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID',
    }),
    invoice_date: date('Invoice date', 'Day on which the credited invoice was issued.', {
      en: 'BT-26',
      ubl: 'cac:BillingReference/cac:InvoiceDocumentReference/cbc:IssueDate',
    }),
    order_number: orderNumber,
    currency: currency(),
    ...parties('cac:AccountingCustomerParty', 'cac:AccountingSupplierParty'),
    reason: longText('Reason', 'Why the amount is credited.'),
    lines: lines(
      ['id', 'name', 'quantity', 'price', 'total'],
      pricedLine('cbc:CreditedQuantity', 'How many units are credited.'),
      'cac:CreditNoteLine',
    ),
    ...totals('cac:LegalMonetaryTotal'),
    ...payable(),
    note,
  }),
  layout: {
    number: '/number',
    currency: '/currency',
    parties: ['/seller', '/buyer'],
    facts: [
      { path: '/issue_date' },
      { path: '/invoice_number' },
      { path: '/invoice_date' },
      { path: '/order_number' },
      { path: '/reason' },
    ],
    lines: pricedTable(),
    tables: [...ADJUSTMENTS, TAXES],
    totals: [...TOTALS, ...PAYABLE],
    terms: [],
    notes: ['/note'],
  },
  samples: [
    {
      number: 'CN-2026-0031',
      issue_date: '2026-10-26',
      invoice_number: 'INV-2026-0442',
      invoice_date: '2026-10-21',
      order_number: 'PO-4711',
      currency: 'EUR',
      seller: globex,
      buyer: acme,
      reason: 'Four dented bearings (goods receipt GR-90015).',
      lines: [{ ...bearing, ...pieces(4), price: '3.15', discount: '0.63', tax_rate: '19', total: '11.97' }],
      lines_total: '11.97',
      net_total: '11.97',
      taxes: [{ rate: '19', category: 'S', net: '11.97', tax: '2.27' }],
      tax_total: '2.27',
      total: '14.24',
      payable: '14.24',
    },
  ],
  rules: [...PRICED, payableRule, refersTo('invoice_number'), notBefore('issue_date', 'invoice_date')],
};
