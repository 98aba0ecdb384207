import { Type } from 'typebox';
import { endpoint } from '../../context.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { SCHEMA_MAX_BYTES } from '../../contract/limits.ts';
import { closed } from '../../http/paging.ts';
import { bodyCheck } from '../../http/validation.ts';
import { membersOf, parseJson } from '../../platform/lossless-json.ts';
import { tooLarge, type WrittenSchema } from './inbox-schema.ts';

const schema = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Boolean(), Type.Null()], {
  description: `A JSON Schema of at most ${SCHEMA_MAX_BYTES} bytes: an object, or true or false. Null for none.`,
});

export const InboxSchemaSchema = Type.Object(
  {
    schema,
    updated_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: 'Null when no schema is set.' }),
  },
  { $id: 'InboxSchema', ...closed },
);

/** For the name of the member, and space. */
const ROOM_AROUND_BYTES = 1_024;

const BodySchema = Type.Object({ schema }, closed);
const checkBody = bodyCheck(BodySchema, ['schema']);

export const get = endpoint({
  summary: 'The JSON Schema of your inbox',
  success: { status: 200, description: 'The schema as it was set; null when none is.', schema: InboxSchemaSchema },
  errors: [],
  handle: async ({ schemas }, { caller }) => {
    const found = await schemas.find(caller.business.id);
    return { body: resourceJson(found?.text, found?.updatedAt) };
  },
});

export const set = endpoint({
  summary: 'Set or clear the JSON Schema of your inbox',
  description:
    'From now on the `json` of every message to you is checked, and `validation` says how it went. A message is delivered whatever comes out. Drafts 4, 6, 7, 2019-09 and 2020-12, by `$schema`; the last one if there is none.',
  body: BodySchema,
  readsRawBody: true,
  success: { status: 200, description: 'The schema as it is now.', schema: InboxSchemaSchema },
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'invalid_schema'],
  handle: async ({ schemas }, { caller, rawBody }) => {
    const written = writtenSchema(rawBody);
    if (written === null) {
      await schemas.clear(caller.business.id);
      return { body: resourceJson(undefined, undefined) };
    }
    const { text, updatedAt } = await schemas.set(caller.business.id, written);
    return { body: resourceJson(text, updatedAt) };
  },
});

/** Null when it is to be cleared. */
function writtenSchema(body: Buffer): WrittenSchema | null {
  // Before it is parsed, which takes this thread longer the larger it is.
  if (body.length > SCHEMA_MAX_BYTES + ROOM_AROUND_BYTES) throw tooLarge(body.length);
  const parsed = parseJson(body);
  if (!parsed) throw new Refusal('invalid_json');
  checkBody(parsed.value);
  const [member, repeated] = membersOf(body);
  if (!member || repeated) throw invalid([{ path: '/schema', message: 'is given more than once' }]);
  return (parsed.value as { schema: unknown }).schema === null ? null : member;
}

/** Spliced from text: a schema leaves as it came. */
function resourceJson(text: string | undefined, updatedAt: Date | undefined): string {
  return `{"schema":${text ?? 'null'},"updated_at":${JSON.stringify(updatedAt?.toISOString() ?? null)}}`;
}
