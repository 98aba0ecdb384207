import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { attachmentDisposition, harmlessType } from './content-disposition.ts';
import type { DownloadTerms, ObjectStore, UploadTerms, UploadTicket } from './object-store.ts';
import { idOfKey, ifMissing, objectKey, secondsUntil, uploadKey } from './s3-keys.ts';
import { S3Parts } from './s3-parts.ts';

export interface S3Settings {
  endpoint: string | undefined;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  forcePathStyle: boolean;
}

/** The least that a bucket takes for a part that is not the last. */
const PART_BYTES = 5 * 1_048_576;

/** Objects in a bucket. Clients PUT and GET them there themselves, by presigned URLs. */
export class S3Store implements ObjectStore {
  readonly parts: S3Parts;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #sealing = new Map<string, Promise<number | undefined>>();

  constructor({ endpoint, bucket, region, accessKeyId, secretAccessKey, forcePathStyle }: S3Settings) {
    this.#bucket = bucket;
    this.#client = new S3Client({
      region,
      ...(endpoint !== undefined && { endpoint }),
      forcePathStyle,
      credentials: { accessKeyId, secretAccessKey },
      // Checksums that the SDK would add by itself are not understood by every S3-compatible server.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
    this.parts = new S3Parts(this.#client, bucket, async (id) => (await this.#sizeOf(objectKey(id))) !== undefined);
  }

  /** Of unknown length, so in parts, of which one is held in memory. A small one is a single PUT. */
  async write(id: string, bytes: Readable): Promise<{ sizeBytes: number; sha256: Buffer }> {
    const hash = createHash('sha256');
    const upload = new PartedUpload(this.#client, { Bucket: this.#bucket, Key: objectKey(id) });
    let sizeBytes = 0;
    try {
      for await (const part of partsOf(bytes)) {
        hash.update(part);
        sizeBytes += part.length;
        await upload.add(part);
      }
      await upload.finish();
    } catch (error) {
      await upload.abort();
      throw error;
    }
    return { sizeBytes, sha256: hash.digest() };
  }

  async uploadTicket(id: string, { sizeBytes, contentType, expiresAt }: UploadTerms): Promise<UploadTicket> {
    const command = new PutObjectCommand({ Bucket: this.#bucket, Key: uploadKey(id), ContentType: contentType, ContentLength: sizeBytes });
    const url = await getSignedUrl(this.#client, command, {
      expiresIn: secondsUntil(expiresAt),
      signableHeaders: new Set(['content-type', 'content-length', 'host']),
    });
    return { url, headers: { 'Content-Type': contentType, 'Content-Length': String(sizeBytes) } };
  }

  /** One at a time for each id: a second copy could bring bytes that were PUT after the first. */
  seal(id: string): Promise<number | undefined> {
    const sealing = this.#sealing.get(id) ?? this.#sealOnce(id).finally(() => this.#sealing.delete(id));
    this.#sealing.set(id, sealing);
    return sealing;
  }

  async #sealOnce(id: string): Promise<number | undefined> {
    const sealed = await this.#sizeOf(objectKey(id));
    if (sealed !== undefined) return sealed;
    const copy = new CopyObjectCommand({ Bucket: this.#bucket, Key: objectKey(id), CopySource: `${this.#bucket}/${uploadKey(id)}` });
    // Where there is nothing to copy, nothing was uploaded, or another process has sealed it meanwhile.
    await this.#client.send(copy).catch(ifMissing);
    const sizeBytes = await this.#sizeOf(objectKey(id));
    // Where there was nothing to copy, what is there now has just come, and is to stay.
    if (sizeBytes !== undefined) await this.#delete(uploadKey(id));
    return sizeBytes;
  }

  downloadUrl(id: string, { filename, contentType, expiresAt }: DownloadTerms): Promise<string> {
    const command = new GetObjectCommand({
      Bucket: this.#bucket,
      Key: objectKey(id),
      ResponseContentDisposition: attachmentDisposition(filename),
      ResponseContentType: harmlessType(contentType),
    });
    return getSignedUrl(this.#client, command, { expiresIn: secondsUntil(expiresAt) });
  }

  async read(id: string): Promise<Readable> {
    const { Body } = await this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: objectKey(id) }));
    if (!(Body instanceof Readable)) throw new Error('the bucket answered without a body');
    return Body;
  }

  async removeUpload(id: string): Promise<void> {
    await this.#delete(uploadKey(id));
  }

  async remove(id: string): Promise<void> {
    await this.removeUpload(id);
    await this.#delete(objectKey(id));
  }

  async *list(changedBefore: Date): AsyncIterable<string> {
    let token: string | undefined;
    do {
      const page = await this.#client.send(new ListObjectsV2Command({ Bucket: this.#bucket, ContinuationToken: token }));
      for (const { Key, LastModified } of page.Contents ?? []) {
        const id = idOfKey(Key);
        if (id !== undefined && LastModified !== undefined && LastModified < changedBefore) yield id;
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  async #sizeOf(key: string): Promise<number | undefined> {
    const head = await this.#client.send(new HeadObjectCommand({ Bucket: this.#bucket, Key: key })).catch(ifMissing);
    return head?.ContentLength;
  }

  async #delete(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: key }));
  }
}

/** Pieces of PART_BYTES; the last, and so perhaps the only one, is smaller and may be empty. */
async function* partsOf(bytes: Readable): AsyncIterable<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    held.push(chunk);
    size += chunk.length;
    if (size < PART_BYTES) continue;
    const whole = Buffer.concat(held);
    yield whole.subarray(0, PART_BYTES);
    held = [whole.subarray(PART_BYTES)];
    size = held[0]?.length ?? 0;
  }
  yield Buffer.concat(held);
}

class PartedUpload {
  readonly #client: S3Client;
  readonly #target: { Bucket: string; Key: string };
  #uploadId: string | undefined;
  #parts: { PartNumber: number; ETag: string | undefined }[] = [];
  #first: Buffer | undefined;

  constructor(client: S3Client, target: { Bucket: string; Key: string }) {
    this.#client = client;
    this.#target = target;
  }

  /** The first part is held back: if no other follows, it is the whole. */
  async add(part: Buffer): Promise<void> {
    if (this.#first === undefined) {
      this.#first = part;
      return;
    }
    if (this.#uploadId === undefined) await this.#send(this.#first);
    if (part.length > 0) await this.#send(part);
  }

  async finish(): Promise<void> {
    if (this.#uploadId === undefined) {
      await this.#client.send(new PutObjectCommand({ ...this.#target, Body: this.#first ?? Buffer.alloc(0) }));
      return;
    }
    const command = new CompleteMultipartUploadCommand({
      ...this.#target,
      UploadId: this.#uploadId,
      MultipartUpload: { Parts: this.#parts },
    });
    await this.#client.send(command);
  }

  async abort(): Promise<void> {
    if (this.#uploadId === undefined) return;
    await this.#client.send(new AbortMultipartUploadCommand({ ...this.#target, UploadId: this.#uploadId })).catch(() => {});
  }

  async #send(part: Buffer): Promise<void> {
    this.#uploadId ??= (await this.#client.send(new CreateMultipartUploadCommand(this.#target))).UploadId;
    const PartNumber = this.#parts.length + 1;
    // Once it is on its way, it need not be held any longer.
    this.#first = Buffer.alloc(0);
    const { ETag } = await this.#client.send(new UploadPartCommand({ ...this.#target, UploadId: this.#uploadId, PartNumber, Body: part }));
    this.#parts.push({ PartNumber, ETag });
  }
}
