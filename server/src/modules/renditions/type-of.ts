import { documentType, isSchema, layoutFor, type OutlinedType } from '@waybill/documents';
import type { RenditionType } from './rendition.ts';

/** The reader's own type stands before one of the catalogue with the same name. */
export function typeOf(type: string | null, own: RenditionType | undefined): OutlinedType | undefined {
  if (!own) return documentType(type ?? '');
  const schema: unknown = JSON.parse(own.schema);
  if (!isSchema(schema)) return undefined;
  return { title: own.title, schema, layout: layoutFor(schema, JSON.parse(own.layout)) };
}
