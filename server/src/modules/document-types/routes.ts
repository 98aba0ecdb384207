import { checkDocument, DOCUMENT_TYPES, type DocumentType } from '@waybill/documents';
import { type TSchema, Type } from 'typebox';
import { ValidationSchema } from '../../contract/envelope.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { DOCUMENT_CHECK_MAX_BYTES } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import { bodyCheck } from '../../contract/validation.ts';
import { endpointsFor, type HttpResponse } from '../../http/endpoint.ts';
import { StaticDocument } from '../../http/static-document.ts';
import { whileConnected } from '../../http/while-connected.ts';
import { payloadIn, readFields } from '../../platform/json/written-fields.ts';
import type { InboxSchemas } from '../inbox-schema/inbox-schema.ts';
import { LayoutSchema } from './layout.ts';
import type { DocumentTypes } from './own-types.ts';
import { documentTypeFields, headFields } from './type-fields.ts';

const { endpoint, publicEndpoint } = endpointsFor<{ schemas: InboxSchemas; documentTypes: DocumentTypes }>();

const TypeHeadSchema = Type.Object(headFields, { $id: 'DocumentTypeHead', ...closed });

const DocumentTypeSchema = Type.Object({ ...documentTypeFields, layout: LayoutSchema }, { $id: 'DocumentType', ...closed });

const headOf = ({ type, title, description, version }: DocumentType) => ({ type, title, description, version });
const wholeOf = (one: DocumentType) => ({ ...headOf(one), schema: one.schema, layout: one.layout, samples: one.samples });

/** Types change only with the version of the service, so each response is made once. */
const LIST = new StaticDocument(JSON.stringify({ data: DOCUMENT_TYPES.map(headOf) }));
const BY_TYPE = new Map(DOCUMENT_TYPES.map((one) => [one.type, new StaticDocument(JSON.stringify(wholeOf(one)))]));
const CACHED = 'public, max-age=300';

async function show(document: StaticDocument, request: Parameters<StaticDocument['respondTo']>[0]): Promise<HttpResponse> {
  const { headers, body } = await document.respondTo(request);
  return { headers: { ...headers, 'cache-control': CACHED }, body };
}

const found = (description: string, schema: TSchema) => ({ status: 200, description, schema });

export const list = publicEndpoint({
  summary: 'List the types of business documents',
  isCrossOrigin: true,
  success: found('All of them, in the order of a purchase.', Type.Object({ data: Type.Array(TypeHeadSchema) }, closed)),
  errors: [],
  handle: (_, { request }) => show(LIST, request),
});

export const getOne = publicEndpoint({
  summary: 'Get a type of business documents',
  isCrossOrigin: true,
  description: 'Its schema can be set as that of an inbox. Messages of this type are not checked by it unless it is.',
  params: Type.Object({ type: Type.String() }),
  success: found('Its schema, its layout, and samples.', DocumentTypeSchema),
  errors: ['not_found'],
  handle: (_, { params, request }) => {
    const document = BY_TYPE.get(params.type);
    if (!document) throw unknownType();
    return show(document, request);
  },
});

const QuestionSchema = Type.Object(
  { json: Type.Unknown({ description: `The document: JSON of at most ${DOCUMENT_CHECK_MAX_BYTES} bytes.` }) },
  closed,
);
const checkQuestion = bodyCheck(QuestionSchema, ['json']);

const DocumentCheckSchema = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether the document meets the schema of the type.' }),
    errors: ValidationSchema.properties.errors,
    warnings: Type.Array(
      Type.Object({ path: Type.String({ description: 'JSON Pointer into json.' }), code: Type.String(), message: Type.String() }, closed),
      { description: 'What does not add up, or is missing. Nothing is refused because of it.' },
    ),
  },
  { $id: 'DocumentCheck', ...closed },
);

export const check = endpoint({
  summary: 'Check a document before you send it',
  description:
    'Checks it by the schema of the type, yours or of the catalogue. A type of the catalogue has rules, too, that a schema cannot state: sums, taxes, dates, references. Nothing is stored.',
  params: Type.Object({ type: Type.String() }),
  body: QuestionSchema,
  readsRawBody: true,
  success: found('The result.', DocumentCheckSchema),
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'not_found'],
  handle: async ({ schemas, documentTypes }, { caller, params, rawBody, request, spend }) => {
    const { schema, ruled } = await documentTypes.known(caller.business.id, params.type);
    const json = documentIn(rawBody);
    const { errors } = await whileConnected(request, (gone) => schemas.checkBy(caller, schema, json, gone, spend));
    const beganAt = performance.now();
    const warnings = ruled ? checkDocument(ruled, json.toString('utf8')) : [];
    spend({ workerMs: performance.now() - beganAt });
    return { body: `{"valid":${errors === '[]'},"errors":${errors},"warnings":${JSON.stringify(warnings)}}` };
  },
});

function documentIn(body: Buffer): Buffer {
  const given = readFields<object>(body, checkQuestion, ['json']).written('json');
  if (!given) throw invalid([{ path: '/json', message: 'is required' }]);
  const json = payloadIn(given);
  if (json.length <= DOCUMENT_CHECK_MAX_BYTES) return json;
  throw new Refusal('json_too_large', `json has ${json.length} bytes; a document can be checked with at most ${DOCUMENT_CHECK_MAX_BYTES}.`);
}

function unknownType(): Refusal {
  return new Refusal('not_found', 'There is no document type of this name. GET /v1/document-types lists them.');
}
