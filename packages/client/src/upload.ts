import { pause } from './pause.ts';
import { newSha256, type Sha256 } from './sha256.ts';
import type { Transport } from './transport.ts';
import { ANY_TYPE, beginParts, PartSender } from './upload-parts.ts';

/** What can be uploaded. A stream needs `size`. */
export type Content = Blob | Uint8Array | ReadableStream<Uint8Array>;

export interface UploadOptions {
  /** The name that the recipient sees; by default that of a `File`. */
  filename?: string | undefined;
  /** `application/octet-stream` by default. */
  contentType?: string | undefined;
  /** The number of bytes, if the content is a stream. */
  size?: number | undefined;
  /** The id of an interrupted upload: parts that have arrived are not sent again. Give the same content from its beginning. */
  resume?: string | undefined;
  /** Called before the first byte, and after each upload part (16 MB). Store `uploadId` to resume. */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface UploadProgress {
  uploadId: string;
  /** Also counts parts that had arrived before. */
  sentBytes: number;
  totalBytes: number;
}

/** A file that messages can name for 24 hours, any number of them. */
export interface UploadedFile {
  id: string;
  filename: string;
  contentType: string;
  sizeBytes: number;
  /** The hash of the bytes read here. `send` compares it with the stored one. */
  sha256: string;
}

const HASHED_AT_ONCE_BYTES = 1_048_576;

export async function upload(transport: Transport, content: Content, options: UploadOptions): Promise<UploadedFile> {
  const size = content instanceof Blob ? content.size : content instanceof Uint8Array ? content.byteLength : options.size;
  if (size === undefined) throw new TypeError('Give the size of a stream: upload(stream, { size, filename }).');
  const filename = options.filename ?? (content instanceof Blob && 'name' in content ? String(content.name) : 'file');
  const contentType = options.contentType || (content instanceof Blob && content.type) || ANY_TYPE;
  const { signal, resume } = options;
  const begun = await beginParts(transport, '/v1/uploads', { filename, content_type: contentType, size_bytes: size }, { signal, resume });
  const { upload_id: id, part_size_bytes } = begun;
  const onSent = (sentBytes: number) => options.onProgress?.({ uploadId: id, sentBytes, totalBytes: size });
  const hash = newSha256();
  await new PartSender(transport, begun, { signal, onSent }).send(hashed(partsOf(content, part_size_bytes, size), hash));
  return { id, filename, contentType, sizeBytes: size, sha256: hash.digest() };
}

/** Hashes each part when the next one is asked for, which is while the part is sent. */
async function* hashed(parts: AsyncIterable<Uint8Array>, hash: Sha256): AsyncGenerator<Uint8Array, void> {
  for await (const bytes of parts) {
    yield bytes;
    await hashBytes(hash, bytes);
  }
}

/** In pieces, so that a page stays responsive if the hash is a script. */
async function hashBytes(hash: Sha256, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; at += HASHED_AT_ONCE_BYTES) {
    hash.update(bytes.subarray(at, at + HASHED_AT_ONCE_BYTES));
    await pause(0);
  }
}

/** The bytes of each part, in order. An empty file has one empty part. */
async function* partsOf(content: Content, partBytes: number, size: number): AsyncGenerator<Uint8Array, void> {
  if (content instanceof ReadableStream) return yield* partsOfStream(content, partBytes, size);
  for (let at = 0; at === 0 || at < size; at += partBytes) {
    const slice = content.slice(at, at + partBytes);
    yield slice instanceof Blob ? new Uint8Array(await slice.arrayBuffer()) : slice;
  }
}

async function* partsOfStream(stream: ReadableStream<Uint8Array>, partBytes: number, size: number): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  let total = 0;
  let rest: Uint8Array = new Uint8Array();
  try {
    do {
      const part = new Uint8Array(Math.min(partBytes, size - total));
      let filled = 0;
      while (filled < part.byteLength) {
        if (rest.byteLength === 0) {
          const { done, value } = await reader.read();
          if (done) throw new TypeError(`The stream ended after ${total + filled} of ${size} bytes.`);
          rest = value;
        }
        const taken = rest.subarray(0, part.byteLength - filled);
        part.set(taken, filled);
        filled += taken.byteLength;
        rest = rest.subarray(taken.byteLength);
      }
      total += filled;
      yield part;
    } while (total < size);
    while (rest.byteLength === 0) {
      const { done, value } = await reader.read();
      if (done) return;
      rest = value;
    }
    throw new TypeError(`The stream has more than ${size} bytes.`);
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
