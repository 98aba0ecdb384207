import { type Static, Type } from 'typebox';
import {
  DOCUMENT_TYPE_DESCRIPTION_MAX_CHARS,
  DOCUMENT_TYPE_TITLE_MAX_CHARS,
  LAYOUT_MAX_BYTES,
  SCHEMA_MAX_BYTES,
} from '../../contract/limits.ts';
import { checkedType, typeParams } from '../../contract/message-type.ts';
import { closed } from '../../contract/paging.ts';
import { bodyCheck } from '../../contract/validation.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { readFields } from '../../platform/json/written-fields.ts';
import { tooLarge } from '../inbox-schema/inbox-schema.ts';
import { ROOM_AROUND_BYTES } from '../inbox-schema/schema-fields.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { claimedAs } from '../parties/profile.ts';
import { GivenLayoutSchema, LayoutSchema } from './layout.ts';
import type { DocumentTypes } from './own-types.ts';
import type { OwnType, OwnTypeHead } from './store.ts';
import { documentTypeFields, headFields } from './type-fields.ts';

const { endpoint, publicEndpoint } = endpointsFor<{ documentTypes: DocumentTypes; parties: PartyDirectory }>();

const updatedAt = Type.String({ format: 'date-time' });
const published = Type.Boolean({ description: 'Whether everybody can read the type.' });

const PublishedHeadSchema = Type.Object({ ...headFields, updated_at: updatedAt }, { $id: 'PublishedDocumentTypeHead', ...closed });
const OwnHeadSchema = Type.Object({ ...headFields, updated_at: updatedAt, published }, { $id: 'OwnDocumentTypeHead', ...closed });
const wholeFields = { ...documentTypeFields, layout: LayoutSchema, updated_at: updatedAt };
const PublishedTypeSchema = Type.Object(wholeFields, { $id: 'PublishedDocumentType', ...closed });
const OwnTypeSchema = Type.Object({ ...wholeFields, published }, { $id: 'OwnDocumentType', ...closed });

/** A business can take a type back, so a copy is used only after its ETag was compared. */
const REVALIDATED = { 'cache-control': 'no-cache' };

const handleParams = Type.Object({ handle: Type.String() });
const handleAndType = Type.Object({ ...handleParams.properties, ...typeParams.properties });

export const list = endpoint({
  summary: 'List your own document types',
  description: 'Those that your business has described itself. GET /v1/document-types lists the catalogue.',
  success: { status: 200, description: 'All of them, by type.', schema: Type.Object({ data: Type.Array(OwnHeadSchema) }, closed) },
  errors: [],
  handle: async ({ documentTypes }, { caller }) => {
    const found = await documentTypes.list(caller.business.id);
    return { body: { data: found.map((one) => ({ ...headOf(one), published: one.isPublished })) } };
  },
});

export const getOne = endpoint({
  summary: 'Get one of your own document types',
  params: typeParams,
  success: { status: 200, description: 'Its schema as it was written, and its layout. `samples` is empty.', schema: OwnTypeSchema },
  errors: ['not_found'],
  handle: async ({ documentTypes }, { caller, params }) => ({ body: ownJson(await documentTypes.get(caller.business.id, params.type)) }),
});

const BodySchema = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: DOCUMENT_TYPE_TITLE_MAX_CHARS }),
    description: Type.Optional(Type.String({ maxLength: DOCUMENT_TYPE_DESCRIPTION_MAX_CHARS })),
    schema: Type.Object(
      {},
      {
        additionalProperties: true,
        description: `A JSON Schema of at most ${SCHEMA_MAX_BYTES} bytes. The \`title\` of a property is its label in views and forms.`,
      },
    ),
    layout: Type.Optional(GivenLayoutSchema),
    published: Type.Optional(published),
  },
  closed,
);
const checkBody = bodyCheck(BodySchema, ['schema']);
const BODY_MAX_BYTES =
  SCHEMA_MAX_BYTES + LAYOUT_MAX_BYTES + 12 * (DOCUMENT_TYPE_TITLE_MAX_CHARS + DOCUMENT_TYPE_DESCRIPTION_MAX_CHARS) + ROOM_AROUND_BYTES;

export const set = endpoint({
  summary: 'Add or replace a document type of your own',
  description:
    'Describes the messages of this `type` for views, forms and checks of your business. It stands before a type of the catalogue with the same name. It does not check what arrives: set its schema with PUT /v1/inbox/schemas/{type} for that.',
  params: typeParams,
  body: BodySchema,
  readsRawBody: true,
  success: { status: 200, description: 'The type as it is now.', schema: OwnTypeSchema },
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'invalid_schema', 'conflict'],
  handle: async ({ documentTypes }, { caller, params, rawBody, spend }) => {
    const type = checkedType(params.type);
    if (rawBody.length > BODY_MAX_BYTES) throw tooLarge(rawBody.length);
    const { fields, written } = readFields<Static<typeof BodySchema>>(rawBody, checkBody, ['schema']);
    const schema = written('schema');
    if (!schema) throw new Error('a body without a schema was not refused');
    const { title, description = '', layout = {}, published } = fields;
    return { body: ownJson(await documentTypes.set(caller, type, { title, description, schema, layout, isPublished: published }, spend)) };
  },
});

export const remove = endpoint({
  summary: 'Delete a document type of your own',
  description: 'Schemas of your inbox that were taken from it stay as they are.',
  params: typeParams,
  success: { status: 204, description: 'It is deleted.' },
  errors: ['not_found', 'unsupported_media_type', 'json_too_large'],
  handle: async ({ documentTypes }, { caller, params }) => {
    await documentTypes.remove(caller.business.id, params.type);
    return { status: 204 };
  },
});

export const listPublished = publicEndpoint({
  summary: 'List the document types that a business publishes',
  isCrossOrigin: true,
  params: handleParams,
  success: { status: 200, description: 'All of them, by type.', schema: Type.Object({ data: Type.Array(PublishedHeadSchema) }, closed) },
  errors: ['not_found'],
  handle: async ({ documentTypes, parties }, { params }) => {
    const found = await documentTypes.listPublished((await claimedAs(parties, params.handle)).id);
    return { headers: REVALIDATED, body: { data: found.map(headOf) } };
  },
});

export const getPublished = publicEndpoint({
  summary: 'Get a document type that a business publishes',
  isCrossOrigin: true,
  params: handleAndType,
  success: { status: 200, description: 'Its schema as it was written, and its layout. `samples` is empty.', schema: PublishedTypeSchema },
  errors: ['not_found'],
  handle: async ({ documentTypes, parties }, { params }) => {
    const business = await claimedAs(parties, params.handle);
    return { headers: REVALIDATED, body: `{${members(await documentTypes.getPublished(business.id, params.type))}}` };
  },
});

function headOf({ type, title, description, version, updatedAt }: OwnTypeHead) {
  return { type, title, description, version, updated_at: updatedAt };
}

/** The JSON is spliced from text, so that the schema stays as written. */
function members(one: OwnType): string {
  const { updated_at, ...head } = headOf(one);
  return `${JSON.stringify(head).slice(1, -1)},"schema":${one.schema},"layout":${one.layout},"samples":[],"updated_at":${JSON.stringify(updated_at)}`;
}

function ownJson(one: OwnType): string {
  return `{${members(one)},"published":${one.isPublished}}`;
}
