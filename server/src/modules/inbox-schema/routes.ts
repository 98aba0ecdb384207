import { Type } from 'typebox';
import { ValidationSchema } from '../../contract/envelope.ts';
import { invalid } from '../../contract/errors.ts';
import { SCHEMA_MAX_BYTES, TYPE_MAX_CHARS } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import { bodyCheck } from '../../contract/validation.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { whileConnected } from '../../http/while-connected.ts';
import { payloadIn, readFields } from '../../platform/json/written-fields.ts';
import { type AddressServices, recipientAt } from '../parties/directory.ts';
import { claimedAs } from '../parties/profile.ts';
import { type Checked, type InboxSchemas, type Question, tooLarge, type Verdict, type WrittenSchema } from './inbox-schema.ts';
import { ROOM_AROUND_BYTES, schemaMembers } from './schema-fields.ts';
import type { StoredSchema } from './store.ts';

/** Absent: messages without a type, or of a type without a schema of its own. */
const ofType = Type.Optional(
  Type.String({ minLength: 1, maxLength: TYPE_MAX_CHARS, description: 'The `type` of the message, which may have a schema of its own.' }),
);

const { endpoint, publicEndpoint } = endpointsFor<{ schemas: InboxSchemas } & AddressServices>();

const schema = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Boolean(), Type.Null()], {
  description: `A JSON Schema of at most ${SCHEMA_MAX_BYTES} bytes: an object, or true or false. Null for none.`,
});

const updatedAt = Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: 'Null when no schema is set.' });
const published = Type.Boolean({
  description: 'Whether others can read the schema, and check JSON against it with POST /v1/schema-check. False until you change it.',
});

const InboxSchemaSchema = Type.Object({ schema, updated_at: updatedAt, published }, { $id: 'InboxSchema', ...closed });
const PublishedSchemaSchema = Type.Object({ schema, updated_at: updatedAt }, { $id: 'PublishedSchema', ...closed });

const BodySchema = Type.Object({ schema }, closed);
const checkBody = bodyCheck(BodySchema, ['schema']);

const QuestionSchema = Type.Object(
  {
    schema: Type.Optional(schema),
    json: Type.Optional(Type.Unknown({ description: 'The `json` of a message, with the same limits.' })),
  },
  closed,
);
const checkQuestion = bodyCheck(QuestionSchema, ['schema', 'json']);

const SchemaCheckSchema = Type.Object(
  {
    schema: Type.Object(
      {
        valid: Type.Boolean({ description: 'Whether the schema could be set.' }),
        errors: Type.Array(
          Type.Object(
            {
              path: Type.String({ description: 'JSON Pointer into the schema.' }),
              message: Type.String(),
              keyword: Type.Optional(Type.String({ description: 'The keyword of the schema, or of its meta-schema, if there is one.' })),
            },
            closed,
          ),
        ),
      },
      closed,
    ),
    validation: Type.Union([ValidationSchema, Type.Null()], {
      description: 'The `validation` of a message with this `json`; null without `json`, or if the schema is not valid.',
    }),
  },
  { $id: 'SchemaCheck', ...closed },
);

export const get = endpoint({
  summary: 'Get the JSON Schema of your inbox',
  success: { status: 200, description: 'The schema as it was set; null if none is set.', schema: InboxSchemaSchema },
  errors: [],
  handle: async ({ schemas }, { caller }) => {
    return { body: resourceJson(await schemas.find(caller.business.id)) };
  },
});

export const set = endpoint({
  summary: 'Set or clear the JSON Schema of your inbox',
  description:
    'The service checks the `json` of every message to you from now on and reports the result in `validation`. Messages that fail are delivered, too. `$schema` names the dialect: draft 4, 6 or 7, 2019-09, or 2020-12, which is also the default.',
  body: BodySchema,
  readsRawBody: true,
  success: { status: 200, description: 'The schema as it is now.', schema: InboxSchemaSchema },
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'invalid_schema'],
  handle: async ({ schemas }, { caller, rawBody, spend }) => {
    const written = writtenSchema(rawBody);
    if (written === null) {
      await schemas.clear(caller.business.id);
      return { body: resourceJson(undefined) };
    }
    return { body: resourceJson(await schemas.set(caller, written, spend)) };
  },
});

export const change = endpoint({
  summary: 'Publish the JSON Schema of your inbox, or no longer',
  description: 'A new schema is published if the one before it was. Clearing the schema ends this.',
  body: Type.Object({ published }, closed),
  success: { status: 200, description: 'The schema as it is now.', schema: InboxSchemaSchema },
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'not_found'],
  handle: async ({ schemas }, { caller, body }) => ({ body: resourceJson(await schemas.publish(caller.business.id, body.published)) }),
});

export const getPublished = publicEndpoint({
  summary: 'Get the JSON Schema that a business publishes',
  isCrossOrigin: true,
  params: Type.Object({ handle: Type.String() }),
  query: Type.Object({ type: ofType }, closed),
  success: {
    status: 200,
    description: 'The schema by which messages of this type are checked; null if the business has none, or does not publish it.',
    schema: PublishedSchemaSchema,
  },
  errors: ['not_found'],
  handle: async ({ schemas, parties }, { params, query }) => {
    const found = await schemas.findPublishedFor((await claimedAs(parties, params.handle)).id, query.type);
    return { body: `{${schemaMembers(found)}}` };
  },
});

const RecipientQuestionSchema = Type.Object(
  { json: Type.Unknown({ description: 'The `json` of a message, with the same limits.' }) },
  closed,
);
const checkRecipientQuestion = bodyCheck(RecipientQuestionSchema, ['json']);

const RecipientCheckSchema = Type.Object({ validation: ValidationSchema }, { $id: 'RecipientCheck', ...closed });

export const checkForRecipient = endpoint({
  summary: 'Check JSON against the schema of a recipient before you send it',
  description:
    'The `validation` that a message with this `json` and `type` would get. The status is `not_applicable` if the recipient does not publish the schema, whether it has one or not. Nothing is stored, and the recipient is not told. An editor should cancel its previous request before it sends the next one.',
  query: Type.Object(
    { to: Type.String({ minLength: 1, maxLength: 320, description: '`<handle>` or `<handle>/<segment>`' }), type: ofType },
    closed,
  ),
  body: RecipientQuestionSchema,
  readsRawBody: true,
  success: { status: 200, description: 'The result.', schema: RecipientCheckSchema },
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'unknown_recipient'],
  handle: async (context, { caller, query, rawBody, request, spend }) => {
    const given = readFields<object>(rawBody, checkRecipientQuestion, ['json']).written('json');
    if (!given) throw invalid([{ path: '/json', message: 'is required' }]);
    const json = payloadIn(given);
    const { recipient } = await recipientAt(context, query.to);
    const asked = { id: recipient.id, type: query.type };
    const verdict = await whileConnected(request, (gone) => context.schemas.checkFor(caller, asked, json, gone, spend));
    return { body: `{"validation":${validationJson(verdict)}}` };
  },
});

export const check = endpoint({
  summary: 'Try out a JSON Schema for your inbox, and JSON against it',
  description:
    'Checks both as PUT /v1/inbox/schema and a message to you would, with the same limits, and stores nothing. Without `schema`, the schema of your inbox is used. An editor should cancel its previous request before it sends the next one.',
  body: QuestionSchema,
  readsRawBody: true,
  success: { status: 200, description: 'The problems of the schema and of the JSON.', schema: SchemaCheckSchema },
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type'],
  handle: async ({ schemas }, { caller, rawBody, request, spend }) => {
    const question = questionIn(rawBody);
    return { body: checkedJson(await whileConnected(request, (gone) => schemas.check(caller, question, gone, spend))) };
  },
});

function questionIn(body: Buffer): Question {
  const { fields, written } = readFields<{ schema?: unknown }>(body, checkQuestion, ['schema', 'json']);
  const json = written('json');
  return { schema: fields.schema === null ? null : written('schema'), json: json && payloadIn(json) };
}

function checkedJson({ refusal, verdict }: Checked): string {
  const ofSchema = JSON.stringify({ valid: refusal === undefined, errors: refusal?.faults ?? [] });
  return `{"schema":${ofSchema},"validation":${verdict ? validationJson(verdict) : 'null'}}`;
}

function validationJson({ status, errors }: Verdict): string {
  return `{"status":"${status}","errors":${errors}}`;
}

function writtenSchema(body: Buffer): WrittenSchema | null {
  if (body.length > SCHEMA_MAX_BYTES + ROOM_AROUND_BYTES) throw tooLarge(body.length);
  const { fields, written } = readFields<{ schema: unknown }>(body, checkBody, ['schema']);
  return fields.schema === null ? null : (written('schema') as WrittenSchema);
}

function resourceJson(stored: StoredSchema | undefined): string {
  return `{${schemaMembers(stored)},"published":${stored?.isPublished === true}}`;
}
