import { Type } from 'typebox';
import { endpoint } from '../../context.ts';
import { CONTENT_TYPE_MAX_CHARS, FILENAME_MAX_CHARS, UPLOAD_MAX_BYTES } from '../../contract/limits.ts';
import { closed } from '../../http/paging.ts';

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

export const announce = endpoint({
  summary: 'Announce a file that you will upload by yourself',
  description:
    'For files of up to 5 GB: announce it, PUT exactly `size_bytes` bytes to `upload_url` with `headers`, then send a message with its `upload_id` in `files`.',
  body: Type.Object(
    {
      filename: Type.String({ maxLength: FILENAME_MAX_CHARS, description: 'Only ever shown; it is stored under another name.' }),
      content_type: Type.String({ minLength: 1, maxLength: CONTENT_TYPE_MAX_CHARS }),
      size_bytes: Type.Integer({ minimum: 0, description: `At most ${UPLOAD_MAX_BYTES}.` }),
    },
    closed,
  ),
  success: { status: 201, description: 'Where and how to PUT it.', schema: UploadSchema },
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type', 'file_too_large', 'quota_exceeded'],
  handle: async ({ files }, { caller, body }) => {
    const upload = await files.announce(caller.business, {
      filename: body.filename,
      contentType: body.content_type,
      sizeBytes: body.size_bytes,
    });
    return {
      body: {
        upload_id: upload.id,
        upload_url: upload.url,
        method: 'PUT',
        headers: upload.headers,
        expires_at: upload.expiresAt.toISOString(),
      },
    };
  },
});

export const download = endpoint({
  summary: 'A fresh download URL for a file',
  description: 'With `Accept: application/json` the URL comes as JSON, otherwise as a redirect.',
  params: Type.Object({ id: Type.String({ description: 'file_ id' }) }),
  success: {
    status: 200,
    description: 'The URL.',
    schema: Type.Object({ download_url: Type.String(), expires_at: Type.String({ format: 'date-time' }) }, { $id: 'Download', ...closed }),
  },
  also: [{ status: 302, description: 'A redirect to the URL.' }],
  errors: ['not_found'],
  handle: async ({ files }, { caller, params, request }) => {
    const { url, expiresAt } = await files.downloadUrl(await files.find(caller.business.id, params.id));
    if (/\bapplication\/json\b/i.test(request.headers.accept ?? ''))
      return { body: { download_url: url, expires_at: expiresAt.toISOString() } };
    return { status: 302, headers: { location: url }, body: '' };
  },
});
