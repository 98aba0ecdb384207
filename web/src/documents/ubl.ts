import type { Item, Layout } from '../../../packages/documents/src/index.ts';
import { wholeOf } from '../json/members.ts';
import type { JsonTree } from '../json/tree.ts';
import { type Describe, sheetByLayout } from './by-layout.ts';
import { namesIn, Reader } from './reader.ts';
import type { Sheet } from './sheet.ts';
import type { Kind } from './values.ts';
import { labelOf } from './words.ts';

/** The document elements of UBL 2.1 that are known here, with their title and their lines. */
const DOCUMENTS: Readonly<Record<string, readonly [title: string, lines: string, quantity: string]>> = {
  Invoice: ['Invoice', 'InvoiceLine', 'InvoicedQuantity'],
  CreditNote: ['Credit note', 'CreditNoteLine', 'CreditedQuantity'],
  DebitNote: ['Debit note', 'DebitNoteLine', 'DebitedQuantity'],
  Order: ['Order', 'OrderLine', 'Quantity'],
  OrderChange: ['Change of an order', 'OrderLine', 'Quantity'],
  OrderResponse: ['Confirmation of an order', 'OrderLine', 'Quantity'],
  Quotation: ['Quote', 'QuotationLine', 'Quantity'],
  DespatchAdvice: ['Despatch advice', 'DespatchLine', 'DeliveredQuantity'],
  ReceiptAdvice: ['Goods receipt', 'ReceiptLine', 'ReceivedQuantity'],
};

const LABELS: Readonly<Record<string, string>> = {
  '/ID': 'Number',
  '/IssueDate': 'Date',
  '/DueDate': 'Due',
  '/PaymentMeans/PaymentDueDate': 'Due',
  '/BuyerReference': 'Buyer’s reference',
  '/CustomerReference': 'Customer’s reference',
  '/OrderReference/ID': 'Order',
  '/ContractDocumentReference/ID': 'Contract',
  '/DespatchDocumentReference/ID': 'Despatch',
  '/QuotationDocumentReference/ID': 'Quote',
  '/BillingReference/InvoiceDocumentReference/ID': 'Invoice',
  '/DocumentCurrencyCode': 'Currency',
  '/Delivery/ActualDeliveryDate': 'Delivered',
  '/Delivery/RequestedDeliveryPeriod/EndDate': 'Requested delivery',
  '/AccountingSupplierParty': 'Seller',
  '/SellerSupplierParty': 'Seller',
  '/DespatchSupplierParty': 'Sender',
  '/AccountingCustomerParty': 'Buyer',
  '/BuyerCustomerParty': 'Buyer',
  '/DeliveryCustomerParty': 'Recipient',
  '/PayeeParty': 'Payee',
  '/Delivery/DeliveryLocation': 'Deliver to',
  '/TaxTotal/TaxSubtotal': 'Taxes',
  '/AllowanceCharge': 'Discounts and charges',
  '/TaxTotal/TaxAmount': 'Tax',
  '/PaymentTerms/Note': 'Payment terms',
  '/PaymentMeans/PaymentID': 'Payment reference',
  '/PaymentMeans/PayeeFinancialAccount/ID': 'Account',
  '/PaymentMeans/PayeeFinancialAccount/Name': 'Account holder',
  '/PaymentMeans/PayeeFinancialAccount/FinancialInstitutionBranch/ID': 'Bank',
  '/Note': 'Note',
};

const LINE_LABELS: Readonly<Record<string, string>> = {
  '/ID': 'Line',
  '/Item/SellersItemIdentification/ID': 'Article',
  '/Item/BuyersItemIdentification/ID': 'Buyer’s article',
  '/Item/StandardItemIdentification/ID': 'GTIN',
  '/Item/Name': 'Description',
  '/Item/Description': 'Details',
  '/Price/PriceAmount': 'Price',
  '/Price/BaseQuantity': 'Price per',
  '/Item/ClassifiedTaxCategory/Percent': 'Tax rate',
  '/LineExtensionAmount': 'Total',
  '/Note': 'Note',
  '/TaxCategory/Percent': 'Rate',
  '/TaxCategory/ID': 'Category',
  '/TaxableAmount': 'Net',
  '/TaxAmount': 'Tax',
  '/ChargeIndicator': 'Is a charge',
  '/AllowanceChargeReason': 'Reason',
  '/Amount': 'Amount',
};

const TOTAL_LABELS: Readonly<Record<string, string>> = {
  LineExtensionAmount: 'Subtotal',
  AllowanceTotalAmount: 'Discounts',
  ChargeTotalAmount: 'Charges',
  TaxExclusiveAmount: 'Net total',
  TaxInclusiveAmount: 'Total',
  PrepaidAmount: 'Prepaid',
  PayableRoundingAmount: 'Rounding',
  PayableAmount: 'Amount due',
};

const money = (path: string): Item => ({ path, format: 'money' });
const plain = (paths: string): Item[] => paths.split(' ').map((path) => ({ path }));

function layoutOf(lines: string, quantity: string, totals: string): Layout {
  const line = /^(Order|Quotation)Line$/.test(lines) ? '/LineItem' : '';
  const total = (name: string) => money(`/${totals}/${name}`);
  return {
    number: '/ID',
    currency: '/DocumentCurrencyCode',
    parties: [
      'AccountingSupplierParty',
      'SellerSupplierParty',
      'DespatchSupplierParty',
      'AccountingCustomerParty',
      'BuyerCustomerParty',
      'DeliveryCustomerParty',
      'PayeeParty',
      'Delivery/DeliveryLocation',
    ].map((name) => `/${name}`),
    facts: plain(
      '/IssueDate /DueDate /PaymentMeans/PaymentDueDate /Delivery/ActualDeliveryDate /Delivery/RequestedDeliveryPeriod/EndDate /OrderReference/ID /BillingReference/InvoiceDocumentReference/ID /DespatchDocumentReference/ID /QuotationDocumentReference/ID /ContractDocumentReference/ID /BuyerReference /CustomerReference',
    ),
    lines: {
      path: `/${lines}`,
      columns: [
        ...plain(`${line}/ID ${line}/Item/SellersItemIdentification/ID ${line}/Item/Name`),
        { path: `${line}/${quantity}`, format: 'quantity' },
        money(`${line}/Price/PriceAmount`),
        { path: `${line}/Item/ClassifiedTaxCategory/Percent`, format: 'percent' },
        money(`${line}/LineExtensionAmount`),
      ],
      details: plain(
        `${line}/Item/Description ${line}/Item/BuyersItemIdentification/ID ${line}/Item/StandardItemIdentification/ID ${line}/Note`,
      ),
    },
    tables: [
      { path: '/AllowanceCharge', columns: [...plain('/AllowanceChargeReason /ChargeIndicator'), money('/Amount')] },
      {
        path: '/TaxTotal/TaxSubtotal',
        columns: [
          { path: '/TaxCategory/Percent', format: 'percent' },
          ...plain('/TaxCategory/ID'),
          money('/TaxableAmount'),
          money('/TaxAmount'),
        ],
      },
    ],
    totals: [
      ...['LineExtensionAmount', 'AllowanceTotalAmount', 'ChargeTotalAmount', 'TaxExclusiveAmount'].map(total),
      money('/TaxTotal/TaxAmount'),
      ...['TaxInclusiveAmount', 'PrepaidAmount', 'PayableRoundingAmount', 'PayableAmount'].map(total),
    ],
    terms: plain(
      '/PaymentTerms/Note /PaymentMeans/PayeeFinancialAccount/ID /PaymentMeans/PayeeFinancialAccount/Name /PaymentMeans/PayeeFinancialAccount/FinancialInstitutionBranch/ID /PaymentMeans/PaymentID',
    ),
    notes: ['/Note'],
  };
}

const describe: Describe = (pointer, table) => {
  const name = namesIn(pointer).at(-1) ?? '';
  const kind: Kind | undefined = /Date$/.test(name) ? 'date' : undefined;
  if (table !== undefined)
    return { label: LINE_LABELS[pointer.replace(/^\/LineItem/, '')] ?? (/Quantity$/.test(name) ? 'Quantity' : undefined) };
  const label =
    LABELS[pointer] ?? (/MonetaryTotal\//.test(pointer) ? TOTAL_LABELS[name] : undefined) ?? (/Line$/.test(pointer) ? 'Lines' : undefined);
  return { label, kind };
};

const name = (key: string): string => key.replace(/^[a-z\d]{1,8}:/i, '');

/** The object of the document and its name, with the element around it or without. */
function documentIn(tree: JsonTree): { root: number; name: string } | undefined {
  const whole = wholeOf(tree);
  if (whole?.isUbl) return { root: whole.node, name: name(tree.key(whole.key) ?? '') };
  const names = new Reader(tree, { isUbl: true }).members(0).map((member) => member.name);
  const found = Object.entries(DOCUMENTS).find(([, [, lines]]) => names.includes(lines));
  return found && names.includes('IssueDate') ? { root: 0, name: found[0] } : undefined;
}

/** The sheet of an invoice, order or other document of UBL, whichever way its XML became JSON. Undefined: it is none. */
export function ublSheet(tree: JsonTree): { reader: Reader; sheet: Sheet } | undefined {
  const found = documentIn(tree);
  if (!found) return undefined;
  const reader = new Reader(tree, { isUbl: true, root: found.root });
  const known = Object.hasOwn(DOCUMENTS, found.name) ? DOCUMENTS[found.name] : undefined;
  const [title, lines, quantity] = known ?? [labelOf(found.name), `${found.name}Line`, 'Quantity'];
  const totals = reader.members(found.root).find(({ name }) => /MonetaryTotal$/.test(name))?.name ?? 'LegalMonetaryTotal';
  return { reader, sheet: sheetByLayout(reader, title, layoutOf(lines, quantity, totals), describe) };
}
