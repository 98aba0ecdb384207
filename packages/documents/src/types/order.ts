import { documentSchema } from '../document-schema.ts';
import type { DocumentType } from '../document-type.ts';
import {
  contractNumber,
  currency,
  deliverTo,
  deliveryTerms,
  identity,
  note,
  parties,
  paymentTerms,
  requestedDeliveryDate,
} from '../head.ts';
import { lines, pricedLine, pricedTable } from '../lines.ts';
import { text } from '../properties.ts';
import { notBefore } from '../rules/head.ts';
import { PRICED } from '../rules/totals.ts';
import * as story from '../story.ts';
import { ADJUSTMENTS, TAXES, TOTALS, totals } from '../totals.ts';

const description = 'A buyer orders articles or services from a seller.';

export const order: DocumentType = {
  type: 'order',
  title: 'Order',
  description,
  version: 1,
  schema: documentSchema('Order', description, ['number', 'issue_date', 'currency', 'buyer', 'lines'], {
    ...identity('order'),
    currency: currency(),
    ...parties('cac:BuyerCustomerParty', 'cac:SellerSupplierParty'),
    quote_number: text('Quote', 'Number of the seller’s quote that the buyer accepts.', { ubl: 'cac:QuotationDocumentReference/cbc:ID' }),
    contract_number: contractNumber('cac:Contract/cbc:ID'),
    buyer_reference: text('Your reference', 'What the buyer wants to read on the invoice, such as a cost centre.', {
      en: 'BT-10',
      ubl: 'cbc:CustomerReference',
    }),
    deliver_to: deliverTo,
    requested_delivery_date: requestedDeliveryDate,
    delivery_terms: deliveryTerms,
    payment_terms: paymentTerms,
    lines: lines(
      ['name', 'quantity'],
      { ...pricedLine('cbc:Quantity', 'How many units are ordered.'), requested_delivery_date: requestedDeliveryDate },
      'cac:OrderLine/cac:LineItem',
    ),
    ...totals('cac:AnticipatedMonetaryTotal'),
    note,
  }),
  layout: {
    number: '/number',
    currency: '/currency',
    parties: ['/buyer', '/seller', '/deliver_to'],
    facts: [
      { path: '/issue_date' },
      { path: '/requested_delivery_date' },
      { path: '/quote_number' },
      { path: '/contract_number' },
      { path: '/buyer_reference' },
    ],
    lines: pricedTable([], [{ path: '/requested_delivery_date' }]),
    tables: [...ADJUSTMENTS, TAXES],
    totals: TOTALS,
    terms: [{ path: '/payment_terms' }, { path: '/delivery_terms' }],
    notes: ['/note'],
  },
  samples: [
    {
      number: 'PO-4711',
      issue_date: '2026-10-12',
      currency: 'EUR',
      buyer: story.acme,
      seller: story.globex,
      quote_number: 'Q-2026-881',
      buyer_reference: 'Plant 2, cost centre 4410',
      deliver_to: story.plant,
      requested_delivery_date: '2026-10-22',
      delivery_terms: story.deliveryTerms,
      payment_terms: story.paymentTerms,
      lines: [story.bearings, story.seals, story.handbooks],
      ...story.ordered,
      note: 'Gate B is open from 7:00 to 15:00.',
    },
  ],
  rules: [...PRICED, notBefore('requested_delivery_date', 'issue_date')],
};
