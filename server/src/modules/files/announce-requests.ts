import { type Static, Type } from 'typebox';
import type { ErrorCode } from '../../contract/errors.ts';
import { CONTENT_TYPE_MAX_CHARS, FILENAME_MAX_CHARS, UPLOAD_MAX_BYTES } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import type { Party } from '../../contract/parties.ts';
import type { HttpResponse } from '../../http/endpoint.ts';
import type { Files } from './files.ts';
import type { PartedUploads } from './parted-uploads.ts';
import { PartedUploadSchema, progressResponse } from './upload-requests.ts';

const UploadSchema = Type.Object(
  {
    upload_id: Type.String({ description: 'For `files` of a message, within 24 hours.' }),
    upload_url: Type.String({ description: 'PUT the bytes here, without a key.' }),
    method: Type.Literal('PUT'),
    headers: Type.Record(Type.String(), Type.String(), { description: 'Send these headers with the PUT.' }),
    expires_at: Type.String({ format: 'date-time', description: 'Begin the PUT before this time.' }),
  },
  { $id: 'Upload', ...closed },
);

export const announceShape = {
  body: Type.Object(
    {
      filename: Type.String({ maxLength: FILENAME_MAX_CHARS, description: 'For display only; the file is stored under another name.' }),
      content_type: Type.String({ minLength: 1, maxLength: CONTENT_TYPE_MAX_CHARS }),
      size_bytes: Type.Integer({ minimum: 0, description: `At most ${UPLOAD_MAX_BYTES}.` }),
      parts: Type.Optional(
        Type.Boolean({
          description: 'Upload the file in upload parts, so that you can pause and resume. Each upload part has its own URL.',
        }),
      ),
    },
    closed,
  ),
  success: {
    status: 201,
    description: 'Where and how to PUT the file; or, for an upload in upload parts, their size.',
    schema: Type.Union([UploadSchema, PartedUploadSchema]),
  },
  errors: [
    'validation_error',
    'invalid_json',
    'json_too_large',
    'unsupported_media_type',
    'file_too_large',
    'quota_exceeded',
  ] satisfies ErrorCode[],
};

export async function handleAnnouncement(
  { files, partedUploads }: { files: Files; partedUploads: PartedUploads },
  owner: Party,
  body: Static<typeof announceShape.body>,
): Promise<HttpResponse> {
  const announcement = { filename: body.filename, contentType: body.content_type, sizeBytes: body.size_bytes };
  if (body.parts === true) return progressResponse(await partedUploads.announce(owner, announcement));
  const upload = await files.announce(owner, announcement);
  return {
    body: {
      upload_id: upload.id,
      upload_url: upload.url,
      method: 'PUT',
      headers: upload.headers,
      expires_at: upload.expiresAt.toISOString(),
    },
  };
}
