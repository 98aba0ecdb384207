/** The forms in which a document can be downloaded. */
export type RenditionForm = 'pdf' | 'csv' | 'xlsx' | 'xml';

export interface RenditionParty {
  name: string;
  /** What the service vouches for: a handle with its @, a domain or a mailbox. */
  address: string;
}

/** A message as paper shows it: plain values, because they go to a worker thread. */
export interface RenditionMessage {
  id: string;
  type: string | null;
  subject: string | null;
  note: string | null;
  json: string;
  from: RenditionParty;
  to: RenditionParty;
  receivedMs: number;
  receiptUrl: string;
  /** A PNG or a JPEG. */
  logo: Uint8Array | undefined;
}

/** A document type of the reader's business. `schema` and `layout` are JSON text, which is parsed in the worker. */
export interface RenditionType {
  title: string;
  schema: string;
  layout: string;
}

export interface RenditionJob {
  form: RenditionForm;
  message: RenditionMessage;
  /** Undefined: the catalogue may have the type. */
  ownType: RenditionType | undefined;
}

/** `unsuitable`: the document has no such form, and `reason` says why. */
export type Rendition = { kind: 'made'; bytes: Uint8Array<ArrayBuffer> } | { kind: 'unsuitable'; reason: string };

export interface RenditionReply {
  /** Undefined: the worker has failed. */
  rendition: Rendition | undefined;
  cpuMs: number;
}
