import type { DocumentType } from './document-type.ts';
import { certificate } from './types/certificate.ts';
import { creditNote } from './types/credit-note.ts';
import { despatch } from './types/despatch.ts';
import { goodsReceipt } from './types/goods-receipt.ts';
import { invoice } from './types/invoice.ts';
import { order } from './types/order.ts';
import { orderChange } from './types/order-change.ts';
import { orderConfirmation } from './types/order-confirmation.ts';
import { quote } from './types/quote.ts';
import { quoteRequest } from './types/quote-request.ts';
import { remittance } from './types/remittance.ts';
import { statement } from './types/statement.ts';

/** All types, in the order of a purchase. */
export const DOCUMENT_TYPES: readonly DocumentType[] = [
  quoteRequest,
  quote,
  order,
  orderChange,
  orderConfirmation,
  despatch,
  goodsReceipt,
  invoice,
  creditNote,
  remittance,
  statement,
  certificate,
];

const BY_TYPE: ReadonlyMap<string, DocumentType> = new Map(DOCUMENT_TYPES.map((one) => [one.type, one]));

export function documentType(type: string): DocumentType | undefined {
  return BY_TYPE.get(type);
}
