import { type TSchema, Type } from 'typebox';
import { ALLOWED_VALUES_MAX } from './limits.ts';
import { MESSAGE_TEXTS, mapTexts, TEXT_NAMES } from './message-fields.ts';

const nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description ? { description } : {});
const closed = { additionalProperties: false } as const;
const timestamp = (description: string) => Type.String({ format: 'date-time', description: `${description} ISO 8601, UTC, milliseconds.` });
const hash = (description: string) => Type.String({ pattern: '^sha256:[0-9a-f]{64}$', description });
const id = (prefix: string, description: string) => Type.String({ pattern: `^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`, description });

export const PartySchema = Type.Union(
  [
    Type.Object({ kind: Type.Literal('handle'), handle: Type.String(), display_name: Type.String() }, closed),
    Type.Object({ kind: Type.Literal('domain'), domain: Type.String(), display_name: Type.String() }, closed),
    Type.Object({ kind: Type.Literal('mailbox'), email: Type.String(), display_name: Type.String() }, closed),
  ],
  { $id: 'Party', description: 'A business with a handle, an organisation known by its mail domain, or a consumer mailbox.' },
);

export const ActorSchema = Type.Object(
  {
    kind: Type.Enum(['agent', 'person', 'mailbox'], { description: 'The kind of sender. API keys send as their agent.' }),
    id: Type.String({ description: 'agt_, usr_ or mbx_ id.' }),
    name: Type.String(),
    email: nullable(Type.String(), 'Null for agents.'),
    verified: Type.Boolean({
      description:
        'What the provider proves. api_key: the key belongs to the agent; this says nothing about the identity of the business. email: mails to the mailbox reach the person. google, oidc: the mailbox’s domain vouches for the person, or false. microsoft: always false. smtp: the mailbox’s domain vouches for the mail.',
    }),
    provider: Type.Enum(['api_key', 'email', 'google', 'microsoft', 'oidc', 'smtp'], { description: 'The way in which it was proved.' }),
  },
  { $id: 'Actor', ...closed },
);

const fileFields = {
  id: id('file', 'File id.'),
  filename: Type.String(),
  content_type: Type.String(),
  size_bytes: Type.Integer(),
  sha256: nullable(hash('Of the bytes.'), 'Null until the file has been hashed.'),
};
const FileSchema = Type.Object(
  { ...fileFields, download_url: Type.String({ description: 'Signed, and valid for a short time.' }) },
  { $id: 'File', ...closed },
);
const ReceiptFileSchema = Type.Object(fileFields, { $id: 'ReceiptFile', ...closed });

export const ValidationSchema = Type.Object(
  {
    status: Type.Enum(['passed', 'failed', 'not_applicable'], {
      description: 'not_applicable: the recipient had no schema for the message, or there was no json.',
    }),
    errors: Type.Array(
      Type.Object(
        {
          path: Type.String({ description: 'JSON Pointer into json.' }),
          message: Type.String(),
          keyword: Type.String(),
          allowed: Type.Optional(
            Type.Array(Type.Unknown(), {
              description: `The values of \`enum\` or \`const\`, at most ${ALLOWED_VALUES_MAX}: for the owner of the schema, and in checks by a published one.`,
            }),
          ),
          allowed_count: Type.Optional(Type.Integer({ description: 'How many values the schema allows.' })),
          pattern: Type.Optional(Type.String({ description: 'The `pattern`, for those who see `allowed`.' })),
        },
        closed,
      ),
    ),
  },
  { $id: 'Validation', ...closed },
);

const beforeJson = {
  id: id('msg', 'Message id.'),
  thread_id: id('thr', 'The thread it belongs to.'),
  in_reply_to: nullable(id('msg', 'A message id.'), 'The message it replies to; null when it starts a thread.'),
  from: Type.Object({ party: PartySchema, actor: ActorSchema }, { ...closed, description: 'The sender, with the names at delivery.' }),
  to: Type.Object(
    {
      party: PartySchema,
      segment: Type.Optional(
        nullable(Type.String(), 'The segment it was addressed to, or null. Messages from before segments were recorded lack this field.'),
      ),
    },
    { ...closed, description: 'The recipient, with the names at delivery.' },
  ),
  ...mapTexts((_, { maxChars, shown, format }) => nullable(Type.String({ maxLength: maxChars, ...(format && { format }) }), shown)),
};
const hashedTexts = TEXT_NAMES.filter((name) => MESSAGE_TEXTS[name].hashed !== 'never')
  .map((name) => (MESSAGE_TEXTS[name].hashed === 'always' ? name : `${name} (unless it is null)`))
  .join(', ');
const afterFiles = {
  validation: ValidationSchema,
  received_at: timestamp('When it was delivered.'),
  content_hash: hash(
    `SHA-256 of the RFC 8785 form of id, thread_id, in_reply_to, from, to, ${hashedTexts}, json_sha256, json_bytes_sha256 (unless it is null), files and received_at. Never changes.`,
  ),
  receipt_url: Type.String({ description: 'A public page that proves the delivery.' }),
  idempotency_key: Type.Optional(Type.String({ description: 'Only if the message was sent with an Idempotency-Key.' })),
};
const jsonSha256 = nullable(hash('Of the RFC 8785 form of json as ECMAScript reads it.'), 'Null when there is no json.');
const jsonBytesSha256 = nullable(
  hash('Of json as it was sent, byte for byte.'),
  'Null when there is no json, and for messages from before this hash was recorded.',
);

export const EnvelopeSchema = Type.Object(
  {
    ...beforeJson,
    json: Type.Unknown({ description: 'Any JSON value, byte for byte as sent; null without one.' }),
    json_sha256: jsonSha256,
    json_bytes_sha256: jsonBytesSha256,
    files: Type.Array(FileSchema),
    ...afterFiles,
  },
  { $id: 'Envelope', ...closed, description: 'A message, as both parties see it.' },
);

export const PromiseSchema = Type.String({
  description:
    'The service’s signed promise that the message will be in its log by a time: evidence against the service, if it is not. `waybill receipt verify` checks it. docs/proof.md describes the format.',
});

export const SentEnvelopeSchema = Type.Object(
  {
    ...EnvelopeSchema.properties,
    promise: Type.Optional(PromiseSchema),
    proof: Type.Optional(Type.String({ description: 'With `Prefer: wait=logged`: the tlog-proof that the log has the message.' })),
  },
  { $id: 'SentEnvelope', ...closed, description: 'The message that was sent, with what the service promises of it.' },
);

export const SummarySchema = Type.Object(
  {
    ...beforeJson,
    json_bytes: nullable(Type.Integer(), 'The size of `json`; null without one.'),
    json_sha256: jsonSha256,
    json_bytes_sha256: jsonBytesSha256,
    files: Type.Array(FileSchema),
    ...afterFiles,
  },
  { $id: 'EnvelopeSummary', ...closed, description: 'An envelope with the size of `json` in place of `json`.' },
);

const ReceiptSchema = Type.Object(
  { ...beforeJson, json_sha256: jsonSha256, json_bytes_sha256: jsonBytesSha256, files: Type.Array(ReceiptFileSchema), ...afterFiles },
  { $id: 'Receipt', ...closed, description: 'The envelope without json and without download URLs.' },
);

const partyOnly = (description: string) => Type.Object({ party: PartySchema }, { ...closed, description });

const MinimalReceiptSchema = Type.Object(
  {
    detail: Type.Literal('minimal', { description: 'Distinguishes it from a full receipt, which lacks this field.' }),
    id: beforeJson.id,
    from: partyOnly('Who sent it.'),
    to: partyOnly('Who received it.'),
    json_sha256: jsonSha256,
    json_bytes_sha256: jsonBytesSha256,
    files: Type.Array(Type.Object({ sha256: fileFields.sha256 }, closed)),
    received_at: afterFiles.received_at,
    content_hash: afterFiles.content_hash,
    receipt_url: afterFiles.receipt_url,
  },
  { $id: 'MinimalReceipt', ...closed, description: 'Parties, time and hashes of a message whose sender has chosen minimal receipts.' },
);

export const AnyReceiptSchema = Type.Union([ReceiptSchema, MinimalReceiptSchema], { $id: 'AnyReceipt' });
