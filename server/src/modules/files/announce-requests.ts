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
    upload_id: Type.String({ description: 'Goes into `files` of a message, within 24 hours.' }),
    upload_url: Type.String({ description: 'PUT the bytes here; no key is needed.' }),
    method: Type.Literal('PUT'),
    headers: Type.Record(Type.String(), Type.String(), { description: 'To be sent along with the PUT.' }),
    expires_at: Type.String({ format: 'date-time', description: 'The PUT has to begin before this time.' }),
  },
  { $id: 'Upload', ...closed },
);

/** Announcements of a business and of a drop page have the same form. */
export const announceShape = {
  body: Type.Object(
    {
      filename: Type.String({ maxLength: FILENAME_MAX_CHARS, description: 'Only ever shown; it is stored under another name.' }),
      content_type: Type.String({ minLength: 1, maxLength: CONTENT_TYPE_MAX_CHARS }),
      size_bytes: Type.Integer({ minimum: 0, description: `At most ${UPLOAD_MAX_BYTES}.` }),
      parts: Type.Optional(Type.Boolean({ description: 'It will come in parts, so that it can be paused; they get URLs of their own.' })),
    },
    closed,
  ),
  success: {
    status: 201,
    description: 'Where and how to PUT it; or, of one that comes in parts, how large they are.',
    schema: Type.Union([UploadSchema, PartedUploadSchema]),
  },
  errors: [
    'validation_error',
    'invalid_json',
    'json_too_large',
    'unsupported_media_type',
    'file_too_large',
    'quota_exceeded',
  ] as ErrorCode[],
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
