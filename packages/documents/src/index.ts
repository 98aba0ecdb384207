export { DOCUMENT_TYPES, documentType } from './catalogue.ts';
export { checkDocument } from './check-document.ts';
export { minorDigits } from './currency.ts';
export { Decimal } from './decimal.ts';
export { DocumentPart } from './document-part.ts';
export type * from './document-type.ts';
export * from './limits.ts';
export type { Schema } from './schema.ts';
