import { type DocumentType, documentType } from '@waybill/documents';
import type { Spend } from '../../contract/cost.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { DOCUMENT_TYPES_MAX_BYTES, DOCUMENT_TYPES_PER_BUSINESS_MAX, LAYOUT_MAX_BYTES } from '../../contract/limits.ts';
import { isMessageType } from '../../contract/message-type.ts';
import type { Caller } from '../../contract/parties.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { InboxSchemas, WrittenSchema } from '../inbox-schema/inbox-schema.ts';
import { completed, type GivenLayout } from './layout.ts';
import * as store from './store.ts';

export interface TypeRequest {
  title: string;
  description: string;
  schema: WrittenSchema;
  layout: GivenLayout;
  isPublished: boolean | undefined;
}

/** A type that a check goes by. Only types of the catalogue have rules beyond the schema. */
export interface KnownType {
  schema: string;
  ruled: DocumentType | undefined;
}

/** Document types that businesses describe themselves. For its business, an own type stands before one of the catalogue with the same name. */
export class DocumentTypes {
  readonly #database: Database;
  readonly #schemas: InboxSchemas;

  constructor(database: Database, schemas: InboxSchemas) {
    this.#database = database;
    this.#schemas = schemas;
  }

  list(partyId: bigint): Promise<store.OwnTypeHead[]> {
    return store.listTypes(this.#database.of(partyId), partyId, false);
  }

  async find(partyId: bigint, type: string): Promise<store.OwnType | undefined> {
    return isMessageType(type) ? store.findType(this.#database.of(partyId), partyId, type) : undefined;
  }

  async get(partyId: bigint, type: string): Promise<store.OwnType> {
    return (await this.find(partyId, type)) ?? refuseUnknown();
  }

  listPublished(partyId: bigint): Promise<store.OwnTypeHead[]> {
    return store.listTypes(this.#database.of(partyId), partyId, true);
  }

  /** Nobody else learns whether a type is not published or not there. */
  async getPublished(partyId: bigint, type: string): Promise<store.OwnType> {
    const found = await this.find(partyId, type);
    return found?.isPublished ? found : refuseUnknown();
  }

  async set(caller: Caller, type: string, request: TypeRequest, spend: Spend): Promise<store.OwnType> {
    const partyId = caller.business.id;
    const layout = JSON.stringify(completed(request.layout));
    if (Buffer.byteLength(layout) > LAYOUT_MAX_BYTES)
      throw invalid([{ path: '/layout', message: `must have at most ${LAYOUT_MAX_BYTES} bytes` }]);
    const schema = await this.#schemas.accepted(caller, request.schema, spend);
    const { title, description, isPublished } = request;
    return this.#database.of(partyId).transaction(async (tx) => {
      const others = await store.lockAndCount(tx, partyId, type);
      if (others.count >= DOCUMENT_TYPES_PER_BUSINESS_MAX)
        throw new Refusal('conflict', `A business can have ${DOCUMENT_TYPES_PER_BUSINESS_MAX} document types at most: delete one first.`);
      if (others.bytes + request.schema.raw.length + Buffer.byteLength(layout) > DOCUMENT_TYPES_MAX_BYTES)
        throw new Refusal('conflict', `The document types of a business can have ${DOCUMENT_TYPES_MAX_BYTES} bytes together at most.`);
      return store.saveType(tx, partyId, type, { title, description, schema, layout, isPublished });
    });
  }

  async remove(partyId: bigint, type: string): Promise<void> {
    const isKnown = isMessageType(type) && (await this.#database.of(partyId).transaction((tx) => store.deleteType(tx, partyId, type)));
    if (!isKnown) refuseUnknown();
  }

  async known(partyId: bigint, type: string): Promise<KnownType> {
    const own = await this.find(partyId, type);
    if (own) return { schema: own.schema, ruled: undefined };
    const ofCatalogue = documentType(type);
    if (!ofCatalogue) throw new Refusal('not_found', 'There is no document type of this name. GET /v1/document-types lists them.');
    return { schema: JSON.stringify(ofCatalogue.schema), ruled: ofCatalogue };
  }

  async schemaOf(partyId: bigint, type: string): Promise<string> {
    return (await this.known(partyId, type)).schema;
  }
}

function refuseUnknown(): never {
  throw new Refusal('not_found', 'The document type was not found.');
}
