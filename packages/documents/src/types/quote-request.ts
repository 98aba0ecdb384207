import { documentSchema } from '../document-schema.ts';
import type { DocumentType } from '../document-type.ts';
import { contractNumber, currency, deliverTo, deliveryTerms, identity, note, parties, requestedDeliveryDate } from '../head.ts';
import { itemLine, itemTable, lines } from '../lines.ts';
import { date } from '../properties.ts';
import { notBefore } from '../rules/head.ts';
import { lineNumbers } from '../rules/lines.ts';
import { acme, bearing, globex, handbook, pieces, plant, seal } from '../story.ts';

const description = 'A buyer asks a seller what articles or services cost.';

export const quoteRequest: DocumentType = {
  type: 'quote.request',
  title: 'Request for a quote',
  description,
  version: 1,
  schema: documentSchema('Request for a quote', description, ['number', 'issue_date', 'buyer', 'lines'], {
    ...identity('request'),
    reply_by: date('Reply by', 'Last day on which the buyer takes quotes.', { ubl: 'cbc:SubmissionDueDate' }),
    currency: currency('cbc:PricingCurrencyCode'),
    ...parties('cac:OriginatorCustomerParty', 'cac:SellerSupplierParty'),
    contract_number: contractNumber('cac:Contract/cbc:ID'),
    deliver_to: deliverTo,
    delivery_terms: deliveryTerms,
    requested_delivery_date: requestedDeliveryDate,
    lines: lines(
      ['name', 'quantity'],
      itemLine('cbc:Quantity', 'How many units the buyer wants.'),
      'cac:RequestForQuotationLine/cac:LineItem',
    ),
    note,
  }),
  layout: {
    number: '/number',
    currency: '/currency',
    parties: ['/buyer', '/seller', '/deliver_to'],
    facts: [{ path: '/issue_date' }, { path: '/reply_by' }, { path: '/requested_delivery_date' }, { path: '/contract_number' }],
    lines: itemTable(),
    tables: [],
    totals: [],
    terms: [{ path: '/delivery_terms' }],
    notes: ['/note'],
  },
  samples: [
    {
      number: 'RFQ-318',
      issue_date: '2026-10-05',
      reply_by: '2026-10-09',
      currency: 'EUR',
      buyer: acme,
      seller: globex,
      deliver_to: plant,
      requested_delivery_date: '2026-10-22',
      lines: [
        { ...bearing, ...pieces(200) },
        { ...seal, ...pieces(120) },
        { ...handbook, ...pieces(3) },
      ],
      note: 'Please quote including freight.',
    },
  ],
  rules: [lineNumbers, notBefore('reply_by', 'issue_date'), notBefore('requested_delivery_date', 'issue_date')],
};
