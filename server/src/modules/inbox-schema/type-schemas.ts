import type { Spend } from '../../contract/cost.ts';
import { Refusal } from '../../contract/errors.ts';
import { TYPE_SCHEMAS_MAX_BYTES, TYPE_SCHEMAS_PER_BUSINESS_MAX } from '../../contract/limits.ts';
import { isMessageType } from '../../contract/message-type.ts';
import type { Caller } from '../../contract/parties.ts';
import { changeCached } from '../../platform/postgres/change-feed.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import type { InboxSchemas, WrittenSchema } from './inbox-schema.ts';
import * as store from './type-store.ts';

/** The schemas that a business sets for single types of messages. `InboxSchemas` judges by them. */
export class TypeSchemas {
  readonly #database: Database;
  readonly #schemas: InboxSchemas;

  constructor(database: Database, schemas: InboxSchemas) {
    this.#database = database;
    this.#schemas = schemas;
  }

  list(partyId: bigint): Promise<store.TypeSchemaHead[]> {
    return store.listTypeSchemas(this.#database.of(partyId), partyId);
  }

  async get(partyId: bigint, type: string): Promise<store.TypeSchema> {
    if (!isMessageType(type)) refuseUnknown();
    return (await store.findTypeSchema(this.#database.of(partyId), partyId, type)) ?? refuseUnknown();
  }

  /** Takes effect in every process before it returns. */
  async set(caller: Caller, type: string, written: WrittenSchema, spend: Spend): Promise<store.TypeSchema> {
    const partyId = caller.business.id;
    const text = await this.#schemas.accepted(caller, written, spend);
    const save = async (tx: Queryable) => {
      const others = await store.lockAndCount(tx, partyId, type);
      if (others.count >= TYPE_SCHEMAS_PER_BUSINESS_MAX)
        throw new Refusal('conflict', `A business can have schemas for ${TYPE_SCHEMAS_PER_BUSINESS_MAX} types at most: delete one first.`);
      if (others.bytes + written.raw.length > TYPE_SCHEMAS_MAX_BYTES)
        throw new Refusal('conflict', `The schemas by type of a business can have ${TYPE_SCHEMAS_MAX_BYTES} bytes together at most.`);
      return store.saveTypeSchema(tx, partyId, type, text);
    };
    return changeCached(this.#database, partyId, save, { kind: 'schema', id: partyId });
  }

  async publish(partyId: bigint, type: string, isPublished: boolean): Promise<store.TypeSchema> {
    if (!isMessageType(type)) refuseUnknown();
    const schema = await this.#database.of(partyId).transaction((tx) => store.setTypePublished(tx, partyId, type, isPublished));
    return schema ?? refuseUnknown();
  }

  /** From then on, the schema of the inbox judges messages of this type again. */
  async remove(partyId: bigint, type: string): Promise<void> {
    if (!isMessageType(type)) refuseUnknown();
    const remove = (tx: Queryable) => store.deleteTypeSchema(tx, partyId, type);
    if (!(await changeCached(this.#database, partyId, remove, { kind: 'schema', id: partyId }))) refuseUnknown();
  }
}

function refuseUnknown(): never {
  throw new Refusal('not_found', 'Your inbox has no schema for this type. GET /v1/inbox/schemas lists those that it has.');
}
