import { Type } from 'typebox';
import { closed } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { announceShape, handleAnnouncement } from './announce-requests.ts';
import type { Files } from './files.ts';
import type { PartedUploads } from './parted-uploads.ts';
import { completeShape, handleParts, handleShowUpload, partsShape, progressResponse, showShape } from './upload-requests.ts';

const { endpoint } = endpointsFor<{ files: Files; partedUploads: PartedUploads }>();

export const announce = endpoint({
  summary: 'Announce a file to upload',
  description:
    'For files of up to 5 GB: announce the file, PUT exactly `size_bytes` bytes to `upload_url` with `headers`, then send a message with its `upload_id` in `files`. With `"parts": true` you upload it in upload parts, and can pause and resume: request their URLs, PUT them, and complete the upload.',
  ...announceShape,
  handle: (context, { caller, body }) => handleAnnouncement(context, caller.business, body),
});

export const showUpload = endpoint({
  ...showShape,
  handle: (context, { caller, params }) => handleShowUpload(context, caller.business, params.id),
});

export const parts = endpoint({
  ...partsShape,
  handle: ({ partedUploads }, { caller, params, body }) => handleParts(partedUploads, caller.business, params.id, body),
});

export const complete = endpoint({
  ...completeShape,
  handle: async ({ partedUploads }, { caller, params }) => progressResponse(await partedUploads.complete(caller.business, params.id)),
});

export const download = endpoint({
  summary: 'Get a new download URL for a file',
  description: 'With `Accept: application/json`, the response has the URL as JSON; otherwise it is a redirect.',
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
