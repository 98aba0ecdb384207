import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { invalid, Refusal } from '../../contract/errors.ts';
import { codeOf } from '../../contract/thrown.ts';
import { type Call, endpointsFor, type HttpResponse } from '../../http/endpoint.ts';
import { isUnchanged } from '../../http/entity-tag.ts';
import { attachmentDisposition, harmlessType } from '../../platform/objects/content-disposition.ts';
import { WrongSize } from '../../platform/objects/folder.ts';
import { AlreadyJoined } from '../../platform/objects/folder-parts.ts';
import type { FolderStore } from '../../platform/objects/folder-store.ts';
import { TakenOver } from '../../platform/objects/newest-writer.ts';
import { objectPath } from '../../platform/objects/object-path.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { partSize } from '../../platform/objects/parts.ts';
import type { UrlSigner } from '../../platform/objects/url-signer.ts';
import { rangeOf } from './byte-range.ts';
import type { Downloads } from './downloads.ts';

interface ObjectServices {
  objects: ObjectStore;
  /** The store whose bytes the service itself takes and serves. Undefined: files are in a bucket. */
  folder: FolderStore | undefined;
  signer: UrlSigner;
  downloads: Downloads;
}

const { publicEndpoint } = endpointsFor<ObjectServices>();

const params = Type.Object({ id: Type.String() });
/** The query is not described as parameters, because the signature covers the whole of it. */
const query = Type.Object({}, { additionalProperties: true });

/** A browser neither runs nor sniffs a file that a stranger has uploaded. */
const HARMLESS = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

export const put = publicEndpoint({
  summary: 'Upload the bytes of an announced file',
  description:
    'The `upload_url` of POST /v1/uploads and the URLs of upload parts lead here, unless files are stored in a bucket. The signature in the URL is the only permission that you need.',
  params,
  query,
  streams: '*',
  success: { status: 200, description: 'The bytes are stored.', contentType: 'text/plain; charset=utf-8' },
  errors: ['forbidden', 'not_found', 'conflict', 'validation_error', 'unsupported_media_type'],
  handle: async (context, call) => {
    const { id, terms } = verifyUrl(context, call, 'PUT');
    const store = context.folder;
    if (!store) throw new Refusal('not_found', 'The path was not found.');
    const { headers, raw } = call.request;
    if ((await store.objectSize(id)) !== undefined) throw sealedRefusal();
    const { sizeBytes, type, receive } = expectationOf(store, id, terms);
    if (type !== null && headers['content-type'] !== type)
      throw invalid([{ path: '/Content-Type', message: `must be ${type}, as announced` }]);
    const promised = headers['content-length'];
    if (promised !== undefined && Number(promised) !== sizeBytes) throw wrongSize(sizeBytes);
    try {
      // The stream is not closed after the last wanted byte: the client must be able to read the response, whatever else it sends.
      await receive(raw.iterator({ destroyOnReturn: false }));
    } catch (error) {
      if (error instanceof AlreadyJoined) throw sealedRefusal();
      if (error instanceof TakenOver) throw takenOverRefusal();
      if (error instanceof WrongSize || codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE') throw wrongSize(sizeBytes);
      throw error;
    }
    return { body: '' };
  },
});

export const get = publicEndpoint({
  summary: 'Download a file',
  description:
    'The `download_url` of a file leads here. Use `Range` to resume a download. If files are stored in a bucket, GET is redirected there.',
  params,
  query,
  success: { status: 200, description: 'The bytes.', contentType: 'application/octet-stream' },
  also: [
    { status: 302, description: 'A redirect to the bucket that has the bytes.' },
    { status: 206, description: 'The range that `Range` asks for.' },
    { status: 304, description: 'The file is the one in `If-None-Match`.' },
    { status: 416, description: '`Range` is outside of the file.' },
  ],
  errors: ['forbidden', 'not_found', 'rate_limited', 'validation_error'],
  handle: async (context, call) => {
    const { id, terms } = verifyUrl(context, call, 'GET');
    // A stream for HEAD would be read to its end and discarded.
    const isHead = call.request.method === 'HEAD';
    const { folder } = context;
    if (!folder && !isHead) return redirect(context, id, terms);
    const size = await context.objects.objectSize(id);
    if (size === undefined) throw new Refusal('not_found', 'The file was not found.');
    const etag = `"${id}"`;
    if (isUnchanged(call.request.headers['if-none-match'], etag)) return { status: 304, headers: { etag } };
    const range = rangeOf(call.request.headers, size, etag);
    const isWhole = range === undefined;
    return {
      status: isWhole ? 200 : 206,
      headers: {
        ...HARMLESS,
        // A bucket has its own ETag.
        ...(folder && { etag }),
        'accept-ranges': 'bytes',
        'cache-control': 'private, max-age=3600',
        'content-type': harmlessType(terms.get('type') ?? ''),
        'content-disposition': attachmentDisposition(terms.get('name') ?? ''),
        'content-length': String(isWhole ? size : range.end - range.start + 1),
        ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${size}` }),
      },
      body: size === 0 ? '' : isHead || !folder ? Readable.from([]) : await context.downloads.open(folder, id, call.request.ip, range),
    };
  },
});

async function redirect({ objects }: ObjectServices, id: string, terms: URLSearchParams): Promise<HttpResponse> {
  const location = await objects.downloadUrl(id, {
    filename: terms.get('name') ?? '',
    contentType: terms.get('type') ?? '',
    expiresAt: new Date(Number(terms.get('expires')) * 1000),
  });
  return { status: 302, headers: { ...HARMLESS, location, 'cache-control': 'no-store' }, body: '' };
}

function verifyUrl({ signer }: ObjectServices, call: Call<{ id: string }>, method: 'GET' | 'PUT'): { id: string; terms: URLSearchParams } {
  const { id } = call.params;
  const signed = call.request.url.split('?')[1] ?? '';
  const verdict = signer.verify(method, objectPath(id), signed);
  if (verdict === 'forged') throw new Refusal('forbidden', 'The service has not signed this URL; get a URL from the API.');
  if (verdict === 'late') throw new Refusal('forbidden', 'This URL has expired; get a new one from the API.');
  return { id, terms: new URLSearchParams(signed) };
}

interface Expected {
  sizeBytes: number;
  type: string | null;
  receive(bytes: AsyncIterable<Buffer>): Promise<void>;
}

function expectationOf(store: FolderStore, id: string, terms: URLSearchParams): Expected {
  if (!terms.has('part')) {
    const sizeBytes = Number(terms.get('size'));
    return { sizeBytes, type: terms.get('type'), receive: (bytes) => store.receive(id, bytes, sizeBytes) };
  }
  const number = Number(terms.get('part'));
  const upload = { id, ref: id, partBytes: Number(terms.get('each')), sizeBytes: Number(terms.get('of')) };
  return { sizeBytes: partSize(upload, number), type: null, receive: (bytes) => store.parts.receive(upload, number, bytes) };
}

function sealedRefusal(): Refusal {
  return new Refusal('conflict', 'These bytes were sealed when the upload was completed or sent; announce a new upload for other bytes.');
}

/** Closes the connection: its client has probably gone, and the rest of the body is not wanted. */
function takenOverRefusal(): Refusal {
  return new Refusal('conflict', 'A newer request is putting these bytes and replaces this one.', {
    headers: { connection: 'close' },
  });
}

function wrongSize(sizeBytes: number): Refusal {
  return invalid([{ path: '', message: `exactly ${sizeBytes} bytes were announced; send exactly these` }]);
}
