import { documentSchema } from '../document-schema.ts';
import type { DocumentType } from '../document-type.ts';
import { currency, deliverTo, deliveryTerms, identity, note, orderNumber, parties, paymentTerms } from '../head.ts';
import { lines, pricedLine, pricedTable, promisedDate } from '../lines.ts';
import { choice, longText } from '../properties.ts';
import { refersTo } from '../rules/head.ts';
import { PRICED } from '../rules/totals.ts';
import * as story from '../story.ts';
import { ADJUSTMENTS, TAXES, TOTALS, totals } from '../totals.ts';

const description = 'A seller confirms an order, confirms it with changes, or rejects it. A rejected line has the quantity 0.';
const STATUSES = ['accepted', 'changed', 'rejected'];

export const orderConfirmation: DocumentType = {
  type: 'order.confirmation',
  title: 'Confirmation of an order',
  description,
  version: 1,
  schema: documentSchema('Confirmation of an order', description, ['number', 'issue_date', 'status', 'seller'], {
    ...identity('confirmation'),
    order_number: { ...orderNumber, description: 'Number of the order that is confirmed. UBL: cac:OrderReference/cbc:ID.' },
    status: choice('Status', 'Whether the seller accepts the order, accepts it with changes, or rejects it.', STATUSES, {
      ubl: 'cbc:OrderResponseCode',
    }),
    currency: currency(),
    ...parties('cac:BuyerCustomerParty', 'cac:SellerSupplierParty'),
    reason: longText('Reason', 'Why the order is changed or rejected.'),
    deliver_to: deliverTo,
    delivery_terms: deliveryTerms,
    payment_terms: paymentTerms,
    lines: lines(
      ['id', 'name', 'quantity'],
      {
        ...pricedLine('cbc:Quantity', 'How many units the seller delivers.'),
        status: choice('Status', 'Whether the seller accepts the line.', STATUSES, { ubl: 'cbc:LineStatusCode' }),
        promised_date: promisedDate,
      },
      'cac:OrderLine/cac:LineItem',
    ),
    ...totals('cac:LegalMonetaryTotal'),
    note,
  }),
  layout: {
    number: '/number',
    currency: '/currency',
    parties: ['/seller', '/buyer', '/deliver_to'],
    facts: [{ path: '/status' }, { path: '/issue_date' }, { path: '/order_number' }, { path: '/reason' }],
    lines: pricedTable([{ path: '/status' }, { path: '/promised_date' }]),
    tables: [...ADJUSTMENTS, TAXES],
    totals: TOTALS,
    terms: [{ path: '/payment_terms' }, { path: '/delivery_terms' }],
    notes: ['/note'],
  },
  samples: [
    {
      number: 'OC-2026-1204',
      issue_date: '2026-10-14',
      order_number: 'PO-4711',
      status: 'changed',
      currency: 'EUR',
      seller: story.globex,
      buyer: story.acme,
      reason: 'One handbook is out of print until November.',
      deliver_to: story.plant,
      delivery_terms: story.deliveryTerms,
      payment_terms: story.paymentTerms,
      lines: [
        { ...story.bearings, status: 'accepted', promised_date: '2026-10-22' },
        { ...story.moreSeals, status: 'accepted', promised_date: '2026-10-22' },
        { ...story.handbooks, status: 'changed', promised_date: '2026-11-16', note: 'Two of them come on 2026-10-22.' },
      ],
      ...story.changed,
    },
    {
      number: 'OC-2026-1205',
      issue_date: '2026-10-14',
      order_number: 'PO-4712',
      status: 'rejected',
      seller: story.globex,
      buyer: story.acme,
      reason: 'The article is no longer made.',
    },
  ],
  rules: [...PRICED, refersTo('order_number')],
};
