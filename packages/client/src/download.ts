import { WaybillError } from './errors.ts';
import { backoffMs, pause } from './pause.ts';
import type { Download } from './schema.ts';
import { newSha256 } from './sha256.ts';
import { openStream } from './stream.ts';
import type { Transport } from './transport.ts';

/** A file of a message, or the known facts about it. */
export interface DownloadedFile {
  id: string;
  size_bytes?: number | undefined;
  /** The expected hash of the bytes. Null: not checked. */
  sha256?: string | null | undefined;
}

export interface DownloadOptions {
  onProgress?: ((progress: { receivedBytes: number; totalBytes: number | undefined }) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** The bytes of a file. If the connection breaks, the download resumes. If the hash differs, the stream fails at its end. */
export function download(transport: Transport, file: DownloadedFile, options: DownloadOptions): ReadableStream<Uint8Array> {
  const chunks = chunksOf(transport, file, options);
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await chunks.return()),
    },
    { highWaterMark: 0 },
  );
}

async function* chunksOf(
  transport: Transport,
  { id, size_bytes, sha256 }: DownloadedFile,
  { onProgress, signal }: DownloadOptions,
): AsyncGenerator<Uint8Array, void> {
  const hash = newSha256();
  let receivedBytes = 0;
  let totalBytes = size_bytes;
  for (let failures = 0; ; ) {
    try {
      const { response, chunks } = await open(transport, id, receivedBytes, signal);
      totalBytes ??= sizeIn(response);
      for await (const chunk of chunks) {
        receivedBytes += chunk.byteLength;
        failures = 0;
        hash.update(chunk);
        onProgress?.({ receivedBytes, totalBytes });
        yield chunk;
      }
      if (receivedBytes >= (totalBytes ?? 0)) break;
      throw new WaybillError('connection_failed', `The download ended after ${receivedBytes} of ${totalBytes} bytes.`);
    } catch (error) {
      const mayRetry = error instanceof WaybillError && error.isTemporary && ++failures <= transport.maxRetries;
      if (!mayRetry) throw error;
      await pause(backoffMs(failures, error.retryAfterS), signal);
    }
  }
  if (sha256 && hash.digest() !== sha256)
    throw new WaybillError('hash_mismatch', `The bytes of ${id} do not have the hash ${sha256}. Download the file again.`);
}

/**
 * The URL is signed and needs no key, which must not reach another host. A new URL is requested each time, because it is valid for an hour.
 */
async function open(transport: Transport, id: string, from: number, signal: AbortSignal | undefined) {
  const text = await transport.text('GET /v1/files/{id}', { path: { id } }, { signal });
  const { download_url }: Download = JSON.parse(text);
  const opened = await openStream(transport, download_url, { headers: from > 0 ? { range: `bytes=${from}-` } : {} }, { signal });
  const begins = /^bytes (\d+)-/.exec(opened.response.headers.get('content-range') ?? '')?.[1] ?? '0';
  if (Number(begins) === from) return opened;
  await opened.chunks.return();
  throw new WaybillError('unexpected_response', 'The download can’t be resumed: the response has other bytes than were asked for.');
}

function sizeIn({ headers }: Response): number | undefined {
  const size = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1] ?? headers.get('content-length');
  return size === null || headers.has('content-encoding') ? undefined : Number(size);
}
