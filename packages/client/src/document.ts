import type { RequestOptions, Transport } from './transport.ts';

/** The forms in which the document of a message can be downloaded. */
export const DOCUMENT_FORMS = ['pdf', 'csv', 'xlsx', 'xml'] as const;
export type DocumentForm = (typeof DOCUMENT_FORMS)[number];

export function readDocument(transport: Transport, id: string, form: DocumentForm, options: RequestOptions): Promise<Uint8Array> {
  return transport.request(
    `GET /v1/messages/{id}/document.${form}`,
    { path: { id } },
    options,
    async (response) => new Uint8Array(await response.arrayBuffer()),
  );
}
