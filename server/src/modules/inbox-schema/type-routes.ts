import { type Static, Type } from 'typebox';
import { invalid } from '../../contract/errors.ts';
import { SCHEMA_MAX_BYTES, TYPE_MAX_CHARS } from '../../contract/limits.ts';
import { checkedType, typeParams } from '../../contract/message-type.ts';
import { closed } from '../../contract/paging.ts';
import { bodyCheck } from '../../contract/validation.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { readFields } from '../../platform/json/written-fields.ts';
import { tooLarge, type WrittenSchema } from './inbox-schema.ts';
import { ROOM_AROUND_BYTES, schemaField, schemaMembers } from './schema-fields.ts';
import type { TypeSchemas } from './type-schemas.ts';
import type { TypeSchema } from './type-store.ts';

/** Where the schema of a document type is found: of the business itself, or of the catalogue. */
interface SchemaSource {
  schemaOf(partyId: bigint, type: string): Promise<string>;
}

const { endpoint } = endpointsFor<{ typeSchemas: TypeSchemas; documentTypes: SchemaSource }>();

const headFields = {
  type: Type.String({ description: 'The `type` of messages.' }),
  updated_at: Type.String({ format: 'date-time' }),
  published: Type.Boolean({ description: 'Whether others can read the schema, and check JSON against it. False until you change it.' }),
};
const TypeSchemaSchema = Type.Object(
  { type: headFields.type, schema: schemaField, updated_at: headFields.updated_at, published: headFields.published },
  { $id: 'TypeSchema', ...closed },
);
const TypeSchemaHeadSchema = Type.Object(
  { ...headFields, bytes: Type.Integer({ description: 'Of the schema.' }) },
  { $id: 'TypeSchemaHead', ...closed },
);

export const list = endpoint({
  summary: 'List the types of messages with a schema of their own',
  success: {
    status: 200,
    description: 'All of them, by type, without the schemas.',
    schema: Type.Object({ data: Type.Array(TypeSchemaHeadSchema) }, closed),
  },
  errors: [],
  handle: async ({ typeSchemas }, { caller }) => {
    const heads = await typeSchemas.list(caller.business.id);
    const shown = heads.map(({ type, bytes, updatedAt, isPublished }) => ({ type, updated_at: updatedAt, published: isPublished, bytes }));
    return { body: { data: shown } };
  },
});

export const getOne = endpoint({
  summary: 'Get the JSON Schema of a type of messages',
  params: typeParams,
  success: { status: 200, description: 'The schema as it was set.', schema: TypeSchemaSchema },
  errors: ['not_found'],
  handle: async ({ typeSchemas }, { caller, params }) => ({ body: resourceJson(await typeSchemas.get(caller.business.id, params.type)) }),
});

const BodySchema = Type.Object(
  {
    schema: Type.Optional(schemaField),
    schema_of: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: TYPE_MAX_CHARS,
        description: 'A document type, yours or of the catalogue: its schema is copied as it is now.',
      }),
    ),
  },
  closed,
);
const checkBody = bodyCheck(BodySchema, ['schema']);

export const set = endpoint({
  summary: 'Set the JSON Schema of a type of messages',
  description:
    'Messages of this type are checked by it from now on, in place of the schema of your inbox. What fails is delivered, too. A schema that replaces another one stays published if that was.',
  params: typeParams,
  body: BodySchema,
  exactlyOneOf: ['schema', 'schema_of'],
  readsRawBody: true,
  success: { status: 200, description: 'The schema as it is now.', schema: TypeSchemaSchema },
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'invalid_schema', 'not_found', 'conflict'],
  handle: async ({ typeSchemas, documentTypes }, { caller, params, rawBody, spend }) => {
    const type = checkedType(params.type);
    if (rawBody.length > SCHEMA_MAX_BYTES + ROOM_AROUND_BYTES) throw tooLarge(rawBody.length);
    const { fields, written } = readFields<Static<typeof BodySchema>>(rawBody, checkBody, ['schema']);
    const given = written('schema');
    if ((given === undefined) === (fields.schema_of === undefined))
      throw invalid([{ path: '', message: 'needs either schema or schema_of' }]);
    const wanted = given ?? (await copied(documentTypes, caller.business.id, fields.schema_of ?? ''));
    return { body: resourceJson(await typeSchemas.set(caller, type, wanted, spend)) };
  },
});

async function copied(documentTypes: SchemaSource, partyId: bigint, type: string): Promise<WrittenSchema> {
  return { raw: Buffer.from(await documentTypes.schemaOf(partyId, type)), levels: 0 };
}

export const change = endpoint({
  summary: 'Publish the JSON Schema of a type of messages, or no longer',
  params: typeParams,
  body: Type.Object({ published: headFields.published }, closed),
  success: { status: 200, description: 'The schema as it is now.', schema: TypeSchemaSchema },
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'not_found'],
  handle: async ({ typeSchemas }, { caller, params, body }) => {
    return { body: resourceJson(await typeSchemas.publish(caller.business.id, params.type, body.published)) };
  },
});

export const remove = endpoint({
  summary: 'Delete the JSON Schema of a type of messages',
  description: 'The schema of your inbox, if there is one, checks messages of this type again.',
  params: typeParams,
  success: { status: 204, description: 'It is deleted.' },
  errors: ['not_found', 'unsupported_media_type', 'json_too_large'],
  handle: async ({ typeSchemas }, { caller, params }) => {
    await typeSchemas.remove(caller.business.id, params.type);
    return { status: 204 };
  },
});

function resourceJson(stored: TypeSchema): string {
  return `{"type":${JSON.stringify(stored.type)},${schemaMembers(stored)},"published":${stored.isPublished}}`;
}
