import { documentSchema } from '../document-schema.ts';
import type { DocumentType } from '../document-type.ts';
import { currency, deliverTo, deliveryTerms, identity, note, orderNumber, parties, paymentTerms, requestedDeliveryDate } from '../head.ts';
import { lines, pricedLine, pricedTable } from '../lines.ts';
import { choice, longText } from '../properties.ts';
import { notBefore, refersTo } from '../rules/head.ts';
import { PRICED } from '../rules/totals.ts';
import * as story from '../story.ts';
import { ADJUSTMENTS, TAXES, TOTALS, totals } from '../totals.ts';

const description = 'A buyer changes an order. The document has the whole order as it is now; a cancelled line has the quantity 0.';

export const orderChange: DocumentType = {
  type: 'order.change',
  title: 'Change of an order',
  description,
  version: 1,
  schema: documentSchema('Change of an order', description, ['number', 'issue_date', 'currency', 'buyer', 'lines'], {
    ...identity('change'),
    order_number: { ...orderNumber, description: 'Number of the order that changes. UBL: cac:OrderReference/cbc:ID.' },
    currency: currency(),
    ...parties('cac:BuyerCustomerParty', 'cac:SellerSupplierParty'),
    reason: longText('Reason', 'Why the order changes.'),
    deliver_to: deliverTo,
    requested_delivery_date: requestedDeliveryDate,
    delivery_terms: deliveryTerms,
    payment_terms: paymentTerms,
    lines: lines(
      ['id', 'name', 'quantity'],
      {
        ...pricedLine('cbc:Quantity', 'How many units are ordered now.'),
        change: choice('Change', 'What became of the line.', ['unchanged', 'changed', 'added', 'cancelled'], {
          ubl: 'cbc:LineStatusCode',
        }),
        requested_delivery_date: requestedDeliveryDate,
      },
      'cac:OrderLine/cac:LineItem',
    ),
    ...totals('cac:AnticipatedMonetaryTotal'),
    note,
  }),
  layout: {
    number: '/number',
    currency: '/currency',
    parties: ['/buyer', '/seller', '/deliver_to'],
    facts: [{ path: '/issue_date' }, { path: '/order_number' }, { path: '/requested_delivery_date' }, { path: '/reason' }],
    lines: pricedTable([{ path: '/change' }], [{ path: '/requested_delivery_date' }]),
    tables: [...ADJUSTMENTS, TAXES],
    totals: TOTALS,
    terms: [{ path: '/payment_terms' }, { path: '/delivery_terms' }],
    notes: ['/note'],
  },
  samples: [
    {
      number: 'PO-4711-1',
      issue_date: '2026-10-13',
      order_number: 'PO-4711',
      currency: 'EUR',
      buyer: story.acme,
      seller: story.globex,
      reason: 'A second machine is overhauled in the same week.',
      deliver_to: story.plant,
      requested_delivery_date: '2026-10-22',
      lines: [
        { ...story.bearings, change: 'unchanged' },
        { ...story.moreSeals, change: 'changed' },
        { ...story.handbooks, change: 'unchanged' },
      ],
      ...story.changed,
    },
  ],
  rules: [...PRICED, refersTo('order_number'), notBefore('requested_delivery_date', 'issue_date')],
};
