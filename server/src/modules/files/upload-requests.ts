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
    upload_id: Type.String({ description: 'Goes into `files` of a message, once it is complete.' }),
    filename: Type.String(),
    content_type: Type.String(),
    size_bytes: Type.Integer({ minimum: 0 }),
    part_size_bytes: Type.Integer({ minimum: 1, description: 'Of each part but the last, which is shorter.' }),
    arrived_parts: Type.Array(PartNumber('Counted from 1.'), { description: 'Those that are there as a whole.' }),
    complete: Type.Boolean({ description: 'The parts are joined: they can’t change any more, and messages may refer to them.' }),
    expires_at: Type.String({ format: 'date-time', description: 'All has to be uploaded, and sent, before this time.' }),
  },
  { $id: 'PartedUpload', ...closed },
);

const PartTicketsSchema = Type.Object(
  {
    parts: Type.Array(
      Type.Object(
        {
          number: PartNumber('Counted from 1.'),
          size_bytes: Type.Integer({ minimum: 0, description: 'Exactly so many bytes have to be sent.' }),
          url: Type.String({ description: 'PUT the bytes of the part here; no key is needed.' }),
          headers: Type.Record(Type.String(), Type.String(), { description: 'To be sent along with the PUT.' }),
        },
        closed,
      ),
    ),
    expires_at: Type.String({ format: 'date-time', description: 'The PUTs have to begin before this time. Ask again for fresh URLs.' }),
  },
  { $id: 'PartTickets', ...closed },
);

const params = Type.Object({ id: Type.String({ description: 'upl_ id' }) });

const WholeUploadSchema = Type.Object(
  {
    upload_id: Type.String({ description: 'Goes into `files` of a message.' }),
    filename: Type.String(),
    content_type: Type.String(),
    size_bytes: Type.Integer({ minimum: 0 }),
    state: Type.Enum([...uploadStates], {
      description:
        '`announced`: the bytes are still to be PUT. `uploaded`: they are there, and can be PUT again. `sealed`: a message has referred to them, and they can’t change any more.',
    }),
    complete: Type.Boolean({ description: 'The bytes are there: messages may refer to the upload.' }),
    expires_at: Type.String({ format: 'date-time', description: 'The upload has to be sent before this time.' }),
  },
  { $id: 'WholeUpload', ...closed },
);

/** The form of requests about an upload, the same for businesses and drop pages. */
export const showShape = {
  summary: 'How far an upload has come',
  params,
  success: {
    status: 200,
    description: 'The upload; of one in parts, with the parts that are there.',
    schema: Type.Union([WholeUploadSchema, PartedUploadSchema]),
  },
  errors: ['upload_not_found'] as ErrorCode[],
};

export const partsShape = {
  summary: 'URLs to PUT parts of an upload to',
  description: 'A part may be PUT again until the upload is complete; the last whole one counts.',
  params,
  body: Type.Object(
    { numbers: Type.Array(PartNumber('Counted from 1.'), { minItems: 1, maxItems: PARTS_PER_REQUEST_MAX, uniqueItems: true }) },
    closed,
  ),
  success: { status: 200, description: 'A URL for each.', schema: PartTicketsSchema },
  errors: ['upload_not_found', 'conflict', 'validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type'] as ErrorCode[],
};

export const completeShape = {
  summary: 'Complete an upload in parts',
  description: 'Once all parts are there. From then on messages may refer to it, and no URL of a part changes anything any more.',
  params,
  success: { status: 200, description: 'The upload is complete, or was before.', schema: PartedUploadSchema },
  errors: ['upload_not_found', 'upload_incomplete', 'validation_error', 'unsupported_media_type', 'json_too_large'] as ErrorCode[],
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
