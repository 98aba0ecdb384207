import { date, longText, partOf, text } from './properties.ts';
import type { Properties, Schema } from './schema.ts';

/* Properties that several types have in their head. */

/** `element` is the element of UBL, whose name differs by document. */
export const currency = (element = 'cbc:DocumentCurrencyCode') =>
  partOf('currency', 'Currency', 'Currency of all amounts, as three letters of ISO 4217.', { en: 'BT-5', ubl: element });

export const note = longText('Note', 'What else the reader should know.', { en: 'BT-22', ubl: 'cbc:Note' });

/** `element` is the element of UBL, whose name differs by document. */
export const contractNumber = (element: string) => text('Contract', 'Number of the contract that applies.', { en: 'BT-12', ubl: element });

export const orderNumber = text('Order', 'Number of the buyer’s order.', { en: 'BT-13', ubl: 'cac:OrderReference/cbc:ID' });

export const despatchNumber = text('Despatch', 'Number of the despatch advice.', {
  en: 'BT-16',
  ubl: 'cac:DespatchDocumentReference/cbc:ID',
});

export const deliverTo = partOf('delivery_place', 'Deliver to', 'Where the goods go, if not to the address of the buyer.', {
  en: 'BG-13',
  ubl: 'cac:Delivery',
});

export const requestedDeliveryDate = date('Requested delivery', 'Day on which the buyer wants the goods.', {
  ubl: 'cac:Delivery/cac:RequestedDeliveryPeriod/cbc:EndDate',
});

export const deliveryTerms = text('Delivery terms', 'Who carries cost and risk of the transport, such as DAP Hamburg (Incoterms).', {
  ubl: 'cac:DeliveryTerms/cbc:ID',
});

export const paymentTerms = longText('Payment terms', 'When to pay, and what is deducted for paying early.', {
  en: 'BT-20',
  ubl: 'cac:PaymentTerms/cbc:Note',
});

/** Number and date of a document. `whose` names the document in the descriptions. */
export function identity(whose: string, isInvoice = false): Properties {
  const en = (term: string) => (isInvoice ? { en: term } : {});
  return {
    number: text('Number', `Number that its sender gave the ${whose}.`, { ...en('BT-1'), ubl: 'cbc:ID' }),
    issue_date: date('Date', `Day on which the ${whose} was issued.`, { ...en('BT-2'), ubl: 'cbc:IssueDate' }),
  };
}

/** Buyer and seller, with the names that UBL has for them in this document. */
export function parties(buyer: string, seller: string): { buyer: Schema; seller: Schema } {
  return {
    buyer: partOf('party', 'Buyer', 'Who orders, and pays.', { en: 'BG-7', ubl: buyer }),
    seller: partOf('party', 'Seller', 'Who supplies, and is paid.', { en: 'BG-4', ubl: seller }),
  };
}
