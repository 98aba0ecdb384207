import { type Binding, fixed, group, money, quantity, text } from './binding.ts';
import { ADJUSTMENTS, delivery, ITEM, LINE_ADJUSTMENTS, LINE_ID, PRICE, party, requestedDelivery, TAXES, totals } from './parts.ts';

export interface UblDocument {
  /** The `type` of the message. */
  type: string;
  /** The name of the root element, with which its namespace ends. */
  root: 'Invoice' | 'CreditNote' | 'Order';
  bindings: readonly Binding[];
}

/** UN/CEFACT 1001 and 4461: a commercial invoice, a credit note, a credit transfer. */
const [INVOICE_CODE, CREDIT_NOTE_CODE, CREDIT_TRANSFER] = ['380', '381', '30'];
const EN_16931 = 'urn:cen.eu:en16931:2017';

const paymentMeans = group(
  'cac:PaymentMeans',
  [
    fixed('cbc:PaymentMeansCode', CREDIT_TRANSFER),
    text('cbc:PaymentID', 'reference'),
    group('cac:PayeeFinancialAccount', [
      text('cbc:ID', 'account'),
      text('cbc:Name', 'account_name'),
      group('cac:FinancialInstitutionBranch', [text('cbc:ID', 'bank')]),
    ]),
  ],
  { property: 'payment' },
);

const paymentTerms = group('cac:PaymentTerms', [text('cbc:Note', 'payment_terms')]);
const orderReference = group('cac:OrderReference', [text('cbc:ID', 'order_number')]);
const seller = party('cac:AccountingSupplierParty', 'seller');
const buyer = party('cac:AccountingCustomerParty', 'buyer');

const billedLine = (element: string, counted: string) =>
  group(
    element,
    [
      LINE_ID,
      text('cbc:Note', 'note'),
      quantity(counted, 'quantity'),
      money('cbc:LineExtensionAmount', 'total'),
      group('cac:OrderLineReference', [text('cbc:LineID', 'order_line')]),
      ...LINE_ADJUSTMENTS,
      ITEM,
      PRICE,
    ],
    { property: 'lines', isList: true },
  );

const INVOICE: UblDocument = {
  type: 'invoice',
  root: 'Invoice',
  bindings: [
    fixed('cbc:CustomizationID', EN_16931),
    text('cbc:ID', 'number'),
    text('cbc:IssueDate', 'issue_date'),
    text('cbc:DueDate', 'due_date'),
    fixed('cbc:InvoiceTypeCode', INVOICE_CODE),
    text('cbc:Note', 'note'),
    text('cbc:DocumentCurrencyCode', 'currency'),
    text('cbc:BuyerReference', 'buyer_reference'),
    orderReference,
    group('cac:DespatchDocumentReference', [text('cbc:ID', 'despatch_number')]),
    group('cac:ContractDocumentReference', [text('cbc:ID', 'contract_number')]),
    seller,
    buyer,
    delivery([text('cbc:ActualDeliveryDate', 'delivery_date')], []),
    paymentMeans,
    paymentTerms,
    ...ADJUSTMENTS,
    TAXES,
    totals('cac:LegalMonetaryTotal'),
    billedLine('cac:InvoiceLine', 'cbc:InvoicedQuantity'),
  ],
};

const CREDIT_NOTE: UblDocument = {
  type: 'credit.note',
  root: 'CreditNote',
  bindings: [
    fixed('cbc:CustomizationID', EN_16931),
    text('cbc:ID', 'number'),
    text('cbc:IssueDate', 'issue_date'),
    fixed('cbc:CreditNoteTypeCode', CREDIT_NOTE_CODE),
    text('cbc:Note', 'note'),
    text('cbc:DocumentCurrencyCode', 'currency'),
    group('cac:DiscrepancyResponse', [text('cbc:Description', 'reason')]),
    orderReference,
    group('cac:BillingReference/cac:InvoiceDocumentReference', [text('cbc:ID', 'invoice_number'), text('cbc:IssueDate', 'invoice_date')]),
    seller,
    buyer,
    ...ADJUSTMENTS,
    TAXES,
    totals('cac:LegalMonetaryTotal'),
    billedLine('cac:CreditNoteLine', 'cbc:CreditedQuantity'),
  ],
};

const ORDER: UblDocument = {
  type: 'order',
  root: 'Order',
  bindings: [
    text('cbc:ID', 'number'),
    text('cbc:IssueDate', 'issue_date'),
    text('cbc:Note', 'note'),
    text('cbc:DocumentCurrencyCode', 'currency'),
    text('cbc:CustomerReference', 'buyer_reference'),
    group('cac:QuotationDocumentReference', [text('cbc:ID', 'quote_number')]),
    group('cac:Contract', [text('cbc:ID', 'contract_number')]),
    party('cac:BuyerCustomerParty', 'buyer'),
    party('cac:SellerSupplierParty', 'seller'),
    delivery([], [requestedDelivery]),
    group('cac:DeliveryTerms', [text('cbc:ID', 'delivery_terms')]),
    paymentTerms,
    ...ADJUSTMENTS,
    TAXES,
    totals('cac:AnticipatedMonetaryTotal'),
    group(
      'cac:OrderLine',
      [
        group('cac:LineItem', [
          LINE_ID,
          text('cbc:Note', 'note'),
          quantity('cbc:Quantity', 'quantity'),
          money('cbc:LineExtensionAmount', 'total'),
          group('cac:Delivery', [requestedDelivery]),
          ...LINE_ADJUSTMENTS,
          PRICE,
          ITEM,
        ]),
      ],
      { property: 'lines', isList: true },
    ),
  ],
};

export const UBL_DOCUMENTS: readonly UblDocument[] = [ORDER, INVOICE, CREDIT_NOTE];
