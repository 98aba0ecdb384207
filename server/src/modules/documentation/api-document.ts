import type { Route } from '../../http/endpoint.ts';
import { type OpenApiDocument, openApiDocument } from '../../http/openapi.ts';
import { version } from '../../http/version.ts';

let document: OpenApiDocument | undefined;

/** Built once, at the start, because that takes a tenth of a second. The URL of the service is not known by then. */
export function apiDocument(api: readonly Route<never>[]): OpenApiDocument {
  document ??= openApiDocument(api, version, '');
  return document;
}

export function apiDocumentAt(api: readonly Route<never>[], publicUrl: string): OpenApiDocument {
  return { ...apiDocument(api), servers: [{ url: publicUrl }] };
}
