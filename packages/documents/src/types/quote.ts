import { documentSchema } from '../document-schema.ts';
import type { DocumentType } from '../document-type.ts';
import { currency, deliverTo, deliveryTerms, identity, note, parties, paymentTerms } from '../head.ts';
import { lines, pricedLine, pricedTable, promisedDate } from '../lines.ts';
import { date, text } from '../properties.ts';
import { notBefore } from '../rules/head.ts';
import { PRICED } from '../rules/totals.ts';
import * as story from '../story.ts';
import { ADJUSTMENTS, TAXES, TOTALS, totals } from '../totals.ts';

const description = 'A seller says what articles or services cost, and until when the offer holds.';

export const quote: DocumentType = {
  type: 'quote',
  title: 'Quote',
  description,
  version: 1,
  schema: documentSchema('Quote', description, ['number', 'issue_date', 'currency', 'seller', 'buyer', 'lines', 'total'], {
    ...identity('quote'),
    valid_until: date('Valid until', 'Last day on which the buyer can accept.', { ubl: 'cac:ValidityPeriod/cbc:EndDate' }),
    currency: currency('cbc:PricingCurrencyCode'),
    ...parties('cac:BuyerCustomerParty', 'cac:SellerSupplierParty'),
    request_number: text('Request', 'Number of the buyer’s request for this quote.', {
      ubl: 'cac:RequestForQuotationDocumentReference/cbc:ID',
    }),
    deliver_to: deliverTo,
    delivery_terms: deliveryTerms,
    payment_terms: { ...paymentTerms, description: 'When to pay, and what is deducted for paying early. EN 16931: BT-20.' },
    lines: lines(
      ['name', 'quantity', 'price', 'total'],
      { ...pricedLine('cbc:Quantity', 'How many units the price is offered for.'), promised_date: promisedDate },
      'cac:QuotationLine/cac:LineItem',
    ),
    ...totals('cac:QuotedMonetaryTotal'),
    note,
  }),
  layout: {
    number: '/number',
    currency: '/currency',
    parties: ['/seller', '/buyer', '/deliver_to'],
    facts: [{ path: '/issue_date' }, { path: '/valid_until' }, { path: '/request_number' }],
    lines: pricedTable([{ path: '/promised_date' }]),
    tables: [...ADJUSTMENTS, TAXES],
    totals: TOTALS,
    terms: [{ path: '/payment_terms' }, { path: '/delivery_terms' }],
    notes: ['/note'],
  },
  samples: [
    {
      number: 'Q-2026-881',
      issue_date: '2026-10-07',
      valid_until: '2026-11-06',
      currency: 'EUR',
      seller: story.globex,
      buyer: story.acme,
      request_number: 'RFQ-318',
      deliver_to: story.plant,
      delivery_terms: story.deliveryTerms,
      payment_terms: story.paymentTerms,
      lines: [story.bearings, story.seals, story.handbooks].map((line) => ({ ...line, promised_date: '2026-10-22' })),
      ...story.ordered,
    },
  ],
  rules: [...PRICED, notBefore('valid_until', 'issue_date')],
};
