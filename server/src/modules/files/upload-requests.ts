import { type Static, Type } from 'typebox';
import type { ErrorCode } from '../../contract/errors.ts';
import { PARTS_PER_REQUEST_MAX } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import type { Party } from '../../contract/parties.ts';
import type { HttpResponse } from '../../http/endpoint.ts';
import { type Files, uploadStates } from './files.ts';
import type { PartedUploads, Progress } from './parted-uploads.ts';

const PartNumber = (description: string) => Type.Integer({ minimum: 1, description });

export const PartedUploadSchema = Type.Object(
  {
    upload_id: Type.String({ description: 'For `files` of a message, once the upload is complete.' }),
    filename: Type.String(),
    content_type: Type.String(),
    size_bytes: Type.Integer({ minimum: 0 }),
    part_size_bytes: Type.Integer({ minimum: 1, description: 'The size of each upload part except the last, which may be smaller.' }),
    arrived_parts: Type.Array(PartNumber('Counted from 1.'), { description: 'The numbers of the upload parts that have arrived.' }),
    complete: Type.Boolean({
      description: 'Whether the upload parts are joined: then they can’t change any more, and messages can refer to the upload.',
    }),
    expires_at: Type.String({ format: 'date-time', description: 'Upload all upload parts and send the message before this time.' }),
  },
  { $id: 'PartedUpload', ...closed },
);

const PartTicketsSchema = Type.Object(
  {
    parts: Type.Array(
      Type.Object(
        {
          number: PartNumber('Counted from 1.'),
          size_bytes: Type.Integer({ minimum: 0, description: 'Send exactly this many bytes.' }),
          url: Type.String({ description: 'PUT the bytes of the upload part here, without a key.' }),
          headers: Type.Record(Type.String(), Type.String(), { description: 'Send these headers with the PUT.' }),
        },
        closed,
      ),
    ),
    expires_at: Type.String({ format: 'date-time', description: 'Begin the PUTs before this time, or request new URLs.' }),
  },
  { $id: 'PartTickets', ...closed },
);

const params = Type.Object({ id: Type.String({ description: 'upl_ id' }) });

const WholeUploadSchema = Type.Object(
  {
    upload_id: Type.String({ description: 'For `files` of a message.' }),
    filename: Type.String(),
    content_type: Type.String(),
    size_bytes: Type.Integer({ minimum: 0 }),
    state: Type.Enum([...uploadStates], {
      description:
        '`announced`: the bytes are still to be PUT. `uploaded`: they are there, and can be PUT again. `sealed`: a message has referred to them, and they can’t change any more.',
    }),
    complete: Type.Boolean({ description: 'Whether the bytes have arrived: then messages can refer to the upload.' }),
    expires_at: Type.String({ format: 'date-time', description: 'Send the message before this time.' }),
  },
  { $id: 'WholeUpload', ...closed },
);

export const showShape = {
  summary: 'Get the progress of an upload',
  params,
  success: {
    status: 200,
    description: 'The upload; if it is in upload parts, with those that have arrived.',
    schema: Type.Union([WholeUploadSchema, PartedUploadSchema]),
  },
  errors: ['upload_not_found'] satisfies ErrorCode[],
};

export const partsShape = {
  summary: 'Get URLs for the upload parts of an upload',
  description: 'You can PUT an upload part again until the upload is complete; the last complete PUT counts.',
  params,
  body: Type.Object(
    { numbers: Type.Array(PartNumber('Counted from 1.'), { minItems: 1, maxItems: PARTS_PER_REQUEST_MAX, uniqueItems: true }) },
    closed,
  ),
  success: { status: 200, description: 'A URL for each upload part.', schema: PartTicketsSchema },
  errors: [
    'upload_not_found',
    'conflict',
    'validation_error',
    'invalid_json',
    'json_too_large',
    'unsupported_media_type',
  ] satisfies ErrorCode[],
};

export const completeShape = {
  summary: 'Complete an upload in upload parts',
  description:
    'Call this once all upload parts have arrived. From then on messages can refer to the upload, and its upload parts can’t change.',
  params,
  success: { status: 200, description: 'The upload is complete.', schema: PartedUploadSchema },
  errors: ['upload_not_found', 'upload_incomplete', 'validation_error', 'unsupported_media_type', 'json_too_large'] satisfies ErrorCode[],
};

export async function handleParts(
  uploads: PartedUploads,
  owner: Party,
  id: string,
  { numbers }: Static<typeof partsShape.body>,
): Promise<HttpResponse> {
  const { parts, expiresAt } = await uploads.tickets(owner, id, numbers);
  return {
    body: {
      parts: parts.map(({ number, sizeBytes, url, headers }) => ({ number, size_bytes: sizeBytes, url, headers })),
      expires_at: expiresAt.toISOString(),
    },
  };
}

export async function handleShowUpload(
  { files, partedUploads }: { files: Files; partedUploads: PartedUploads },
  owner: Party,
  id: string,
): Promise<HttpResponse> {
  const upload = await files.showWhole(owner, id);
  if (!upload) return progressResponse(await partedUploads.show(owner, id));
  return {
    body: {
      upload_id: id,
      filename: upload.filename,
      content_type: upload.contentType,
      size_bytes: upload.sizeBytes,
      state: upload.state,
      complete: upload.state !== 'announced',
      expires_at: upload.expiresAt.toISOString(),
    },
  };
}

export function progressResponse(upload: Progress): HttpResponse {
  return {
    body: {
      upload_id: upload.id,
      filename: upload.filename,
      content_type: upload.contentType,
      size_bytes: upload.sizeBytes,
      part_size_bytes: upload.partBytes,
      arrived_parts: upload.arrivedParts,
      complete: upload.isComplete,
      expires_at: upload.expiresAt.toISOString(),
    },
  };
}
