import type { DocumentState } from '@waybill/documents';
import { NO_STATE, type STORED_STATES } from './driver-store.ts';

/** The document that a thread is about, as responses show it. */
export interface DocumentView {
  state: DocumentState | null;
  type: string | null;
  number: string | null;
  total: string | null;
  currency: string | null;
  due_date: string | null;
}

interface DocumentColumns {
  document_state: (typeof STORED_STATES)[number] | null;
  document_type: string | null;
  document_number: string | null;
  document_total: string | null;
  document_currency: string | null;
  document_due: string | null;
}

export function documentView(row: DocumentColumns): DocumentView | null {
  if (row.document_state === null) return null;
  return {
    state: row.document_state === NO_STATE ? null : row.document_state,
    type: row.document_type,
    number: row.document_number,
    total: row.document_total,
    currency: row.document_currency,
    due_date: row.document_due,
  };
}
