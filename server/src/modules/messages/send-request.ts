import { type Static, Type } from 'typebox';
import { type SaidWithReply, saidFields } from '../../contract/acknowledgements.ts';
import { type ErrorCode, invalid } from '../../contract/errors.ts';
import {
  ADDRESS_MAX_CHARS,
  EXPIRES_IN_MAX_S,
  EXPIRES_IN_MIN_S,
  FILES_PER_MESSAGE_MAX,
  INLINE_FILE_MAX_BYTES,
  JSON_MAX_BYTES,
  JSON_MAX_LEVELS,
} from '../../contract/limits.ts';
import { type MessageTexts, mapWritten, TEXT_NAMES, textsOf } from '../../contract/message-fields.ts';
import { closed } from '../../contract/paging.ts';
import { sha256 } from '../../contract/sha256.ts';
import { bodyCheck, textIssues } from '../../contract/validation.ts';
import type { WrittenValue } from '../../platform/json/lossless-json.ts';
import { payloadIn, readFields } from '../../platform/json/written-fields.ts';
import type { DeliveredFile } from '../files/delivered-file.ts';
import type { CheckedSignature } from '../signatures/signed-request.ts';

const optionalText = (maxLength: number, description: string) =>
  Type.Optional(Type.Union([Type.String({ maxLength }), Type.Null()], { description }));

export const SendRequestSchema = Type.Object(
  {
    to: optionalText(
      ADDRESS_MAX_CHARS,
      'A handle, or `<handle>/<segment>` for a member or agent inside it; also `@<handle>` and the mail address of either. Required unless in_reply_to is given.',
    ),
    in_reply_to: optionalText(
      64,
      'A message in your inbox or outbox; the reply joins its thread. Without `to` it goes to the other party, at the segment of the agent or member who sent the message, if that one has a segment.',
    ),
    ...mapWritten(({ maxChars, written }) => optionalText(maxChars, written)),
    expires_in: Type.Optional(
      Type.Union([Type.Integer({ minimum: EXPIRES_IN_MIN_S, maximum: EXPIRES_IN_MAX_S }), Type.Null()], {
        description:
          'Seconds. If by then no system of the recipient has taken the message, and nobody has acknowledged it, the log gets a leaf of non-delivery, and your webhooks the event `message.expired`. The message stays with the recipient. Only for businesses, and not in a form.',
      }),
    ),
    acknowledge: Type.Optional(
      Type.Union([Type.Object(saidFields, closed), Type.Null()], {
        description:
          'What you say of the message in `in_reply_to`, which you received, together with the reply: as `POST /v1/messages/{id}/acknowledge`, in the same request. If it contradicts what was said before, nothing is sent. Both parties have the acknowledgement a moment after the 201. Not in a form, and not in a signed request: sign the acknowledgement on its own.',
      }),
    ),
    json: Type.Optional(
      Type.Unknown({
        description: `Any JSON value of at most ${JSON_MAX_BYTES} bytes and ${JSON_MAX_LEVELS} levels; carried byte for byte.`,
      }),
    ),
    files: Type.Optional(
      Type.Array(Type.String(), { maxItems: FILES_PER_MESSAGE_MAX, uniqueItems: true, description: 'Ids of uploads, each once.' }),
    ),
  },
  { $id: 'SendRequest', additionalProperties: false },
);

/** The form of a message request: `json` is text that contains JSON, and every form part with another name and a file name is a file. */
export const FormSchema = Type.Object(
  {
    to: Type.Optional(Type.String()),
    in_reply_to: Type.Optional(Type.String()),
    ...mapWritten(({ maxChars }) => Type.Optional(Type.String({ maxLength: maxChars }))),
    json: Type.Optional(Type.String({ description: 'JSON as text; carried byte for byte.' })),
    files: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: FILES_PER_MESSAGE_MAX,
        description: 'Ids of uploads, a form part for each; uploads and files together are at most as many.',
      }),
    ),
    file: Type.Optional(
      Type.Array(Type.String({ contentMediaType: 'application/octet-stream' }), {
        maxItems: FILES_PER_MESSAGE_MAX,
        description: `Files, under this or any other name that is not a field, of at most ${INLINE_FILE_MAX_BYTES} bytes each.`,
      }),
    ),
  },
  { $id: 'SendRequestForm' },
);

export type SendRequestFields = Static<typeof SendRequestSchema>;

/** A message request that was checked on its own, but not yet against stored data. */
export interface SendRequest extends MessageTexts {
  to: string | null;
  inReplyTo: string | null;
  expiresInS: number | null;
  acknowledge: SaidWithReply | null;
  json: Buffer | null;
  uploadIds: string[];
  inlineFiles: DeliveredFile[];
  /** Other messages carry the same files, so a refusal of this message must not discard them. */
  sharesFiles: boolean;
  signature?: CheckedSignature;
  mailDigest?: Buffer;
}

export const checkFields = bodyCheck(SendRequestSchema, ['json']);

export function parseSendRequest(body: Buffer): SendRequest {
  const { fields, written } = readFields<SendRequestFields>(body, checkFields, ['json']);
  return sendRequestOf(fields, written('json'));
}

export function sendRequestOf(
  fields: SendRequestFields,
  json: WrittenValue | undefined,
  inlineFiles: DeliveredFile[] = [],
  sharesFiles = false,
): SendRequest {
  if (typeof fields.to !== 'string' && typeof fields.in_reply_to !== 'string') {
    throw invalid([{ path: '/to', message: 'is required unless in_reply_to is given' }]);
  }
  return {
    to: fields.to ?? null,
    inReplyTo: fields.in_reply_to ?? null,
    ...textsOf(fields),
    expiresInS: fields.expires_in ?? null,
    acknowledge: saidIn(fields),
    json: json ? payloadIn(json) : null,
    uploadIds: fields.files ?? [],
    inlineFiles,
    sharesFiles,
  };
}

function saidIn({ acknowledge, in_reply_to }: SendRequestFields): SaidWithReply | null {
  if (!acknowledge) return null;
  const issues = textIssues(acknowledge, []).map(({ path, message }) => ({ path: `/acknowledge${path}`, message }));
  if (typeof in_reply_to !== 'string') issues.push({ path: '/acknowledge', message: 'is allowed only together with in_reply_to' });
  if (issues.length > 0) throw invalid(issues);
  return { status: acknowledge.status, reason: acknowledge.reason ?? null };
}

/** Enough that no two requests of a sender have the same digest by chance. */
const DIGEST_BYTES = 16;

/**
 * A digest of the content of a message request, from hashes that sending needs anyway. A repeat has the same digest if it differs only in
 * its form: with other boundaries, or with the same files uploaded again.
 */
export function digestOf(request: SendRequest, jsonSha256: Buffer | null, files: readonly DeliveredFile[]): Buffer {
  const { to, inReplyTo, expiresInS, acknowledge } = request;
  // Only given fields count, so that a field of a new version leaves other digests unchanged.
  const texts = TEXT_NAMES.filter((name) => request[name] !== null).map((name) => [name, request[name]]);
  const others = [
    ...(expiresInS === null ? [] : [['expires_in', expiresInS]]),
    ...(acknowledge === null ? [] : [['acknowledge', acknowledge.status, acknowledge.reason]]),
  ];
  const given = [...texts, ...others];
  const contents = files.map(({ filename, contentType, sizeBytes, sha256 }) => [filename, contentType, sizeBytes, sha256?.toString('hex')]);
  const text = JSON.stringify([to, inReplyTo, given, jsonSha256?.toString('hex'), contents]);
  return sha256(text).subarray(0, DIGEST_BYTES);
}

/** Refusals that depend on the request alone. The first request with the same key was not refused, so it was another one. */
const REFUSED_ALONE: ReadonlySet<ErrorCode> = new Set(['validation_error', 'invalid_json', 'json_too_large', 'file_too_large']);

export function isRefusedAlone(code: ErrorCode): boolean {
  return REFUSED_ALONE.has(code);
}
