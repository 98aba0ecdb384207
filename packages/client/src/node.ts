import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Waybill } from './client.ts';
import type { DownloadedFile, DownloadOptions } from './download.ts';
import type { UploadedFile, UploadOptions } from './upload.ts';

/** Uploads a file from disk without holding it in memory. */
export async function uploadFile(waybill: Waybill, path: string, options: Omit<UploadOptions, 'size'> = {}): Promise<UploadedFile> {
  const found = await stat(path);
  if (!found.isFile()) throw new TypeError(`${path} is not a file.`);
  const stream = Readable.toWeb(createReadStream(path, { highWaterMark: 1_048_576 })) as ReadableStream<Uint8Array>;
  return waybill.upload(stream, { filename: basename(path), ...options, size: found.size });
}

/**
 * Downloads a file to a path that you choose: never to the name that the sender has given it. Until all bytes are there and their hash is
 * checked, they are in `<path>.part`. What is at the path is replaced.
 */
export async function downloadFile(
  waybill: Waybill,
  file: string | DownloadedFile,
  path: string,
  options: DownloadOptions = {},
): Promise<void> {
  const part = `${path}.part`;
  try {
    await pipeline(Readable.fromWeb(waybill.download(file, options) as NodeStream), createWriteStream(part));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
