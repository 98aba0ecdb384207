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
  type HeadObjectCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Clock } from '../postgres/database-clock.ts';
import { BucketHealth } from './bucket-health.ts';
import { attachmentDisposition, harmlessType } from './content-disposition.ts';
import {
  type DownloadTerms,
  type ObjectStore,
  StoreUnavailable,
  UnfinishedCopy,
  type UploadTerms,
  type UploadTicket,
} from './object-store.ts';
import { checkBucket } from './s3-check.ts';
import { BucketClients, type S3Settings, timeOfMs, withIdleLimit, within, withinTimeOf } from './s3-clients.ts';
import { idOfKey, ifMissing, isOvertaken, objectKey, signedUntil, uploadKey } from './s3-keys.ts';
import { S3Named } from './s3-named.ts';
import { S3Parts } from './s3-parts.ts';

const PART_BYTES = 5 * 1_048_576;
/** A PUT may come while its upload is sealed. Then the newer bytes are. */
const SEALING_TRIES = 20;

type Uploaded = Pick<HeadObjectCommandOutput, 'ETag' | 'ContentLength'>;

/** Objects in a bucket. Clients PUT and GET them there, with presigned URLs. */
export class S3Store implements ObjectStore {
  readonly parts: S3Parts;
  readonly named: S3Named;
  readonly health: BucketHealth;
  readonly sealsByCopy = true;
  readonly #clients: BucketClients;
  readonly #bucket: string;
  readonly #now: Clock;

  constructor(settings: S3Settings, now: Clock = () => new Date()) {
    this.#now = now;
    this.#bucket = settings.bucket;
    this.#clients = new BucketClients(settings, () => this.health.suspect());
    this.health = new BucketHealth(() => checkBucket(this.#clients, settings));
    this.named = new S3Named(this.#clients, settings.bucket);
    const isObject = async (id: string) => (await this.objectSize(id)) !== undefined;
    this.parts = new S3Parts(this.#clients, settings.bucket, { health: this.health, isObject, now });
  }

  /** The length is unknown, so this is a multipart upload with one part in memory at a time. A small object is a single PUT. */
  async write(id: string, bytes: Readable): Promise<{ sizeBytes: number; sha256: Buffer }> {
    const hash = createHash('sha256');
    const upload = new StreamedObject(this.#clients, { Bucket: this.#bucket, Key: objectKey(id) });
    let sizeBytes = 0;
    try {
      for await (const part of partsOf(bytes)) {
        hash.update(part);
        sizeBytes += part.length;
        await upload.add(part);
      }
      await upload.finish();
    } catch (error) {
      // Not awaited if the bucket does not respond. Its lifecycle rule removes unfinished uploads.
      const aborted = upload.abort();
      if (!(error instanceof StoreUnavailable)) await aborted;
      throw error;
    }
    return { sizeBytes, sha256: hash.digest() };
  }

  /** A bucket that can be used has unlimited space. */
  async requireRoom(): Promise<void> {
    this.health.require();
  }

  async uploadTicket(id: string, { sizeBytes, contentType, expiresAt }: UploadTerms): Promise<UploadTicket> {
    const command = new PutObjectCommand({ Bucket: this.#bucket, Key: uploadKey(id), ContentType: contentType, ContentLength: sizeBytes });
    const url = await getSignedUrl(this.#clients.quick, command, {
      ...signedUntil(expiresAt, this.#now()),
      signableHeaders: new Set(['content-type', 'content-length', 'host']),
    });
    return { url, headers: { 'Content-Type': contentType, 'Content-Length': String(sizeBytes) } };
  }

  async seal(id: string, objectId: string): Promise<number | undefined> {
    for (let tries = 0; tries < SEALING_TRIES; tries++) {
      const uploaded = await this.#head(uploadKey(id));
      if (!uploaded || (await this.#isCopied(uploaded, uploadKey(id), objectKey(objectId)))) return this.#sizeOf(objectKey(objectId));
    }
    throw new StoreUnavailable('the upload was PUT again and again while it was sealed');
  }

  uploadedBytes(id: string): Promise<number | undefined> {
    return this.#sizeOf(uploadKey(id));
  }

  objectSize(id: string): Promise<number | undefined> {
    return this.#sizeOf(objectKey(id));
  }

  /** Signs a URL to learn the origin, because only the SDK knows which host serves a bucket. */
  async downloadOrigin(): Promise<string> {
    const expiresAt = new Date(this.#now().getTime() + 60_000);
    return new URL(await this.downloadUrl('', { filename: '', contentType: '', expiresAt })).origin;
  }

  downloadUrl(id: string, { filename, contentType, expiresAt }: DownloadTerms): Promise<string> {
    const command = new GetObjectCommand({
      Bucket: this.#bucket,
      Key: objectKey(id),
      ResponseContentDisposition: attachmentDisposition(filename),
      ResponseContentType: harmlessType(contentType),
      ResponseCacheControl: 'private, max-age=3600',
    });
    return getSignedUrl(this.#clients.quick, command, signedUntil(expiresAt, this.#now()));
  }

  async read(id: string): Promise<Readable> {
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: objectKey(id) });
    const { Body } = await within((limited) => this.#clients.quick.send(command, limited));
    if (!(Body instanceof Readable)) throw new StoreUnavailable('the bucket responded without a body');
    return withIdleLimit(Body);
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
      const command = new ListObjectsV2Command({ Bucket: this.#bucket, ContinuationToken: token });
      const page = await within((limited) => this.#clients.quick.send(command, limited));
      for (const { Key, LastModified } of page.Contents ?? []) {
        const id = idOfKey(Key);
        if (id !== undefined && LastModified !== undefined && LastModified < changedBefore) yield id;
      }
      if (page.IsTruncated === true && page.NextContinuationToken === token) throw new StoreUnavailable('the bucket lists in circles');
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  /** Returns false if other bytes were PUT meanwhile. */
  async #isCopied(uploaded: Uploaded, from: string, to: string): Promise<boolean> {
    try {
      await this.#copy(uploaded, from, to).catch(ifMissing);
      return true;
    } catch (error) {
      if (!isOvertaken(error)) throw error;
      return false;
    }
  }

  /**
   * A bucket copies up to 5 GiB in one request, which is the largest file. The SDK may repeat the request while the bucket still works on the first
   * one. The condition makes both copy the same bytes, or refuse.
   */
  async #copy({ ETag, ContentLength = 0 }: Uploaded, from: string, to: string): Promise<void> {
    const command = new CopyObjectCommand({
      Bucket: this.#bucket,
      Key: to,
      CopySource: `${this.#bucket}/${from}`,
      CopySourceIfMatch: ETag,
    });
    await withinTimeOf(ContentLength, (limited) => this.#clients.slow.send(command, limited)).catch((error) => {
      if (error instanceof StoreUnavailable) throw new UnfinishedCopy(error.message, timeOfMs(ContentLength) / 1000);
      throw error;
    });
  }

  async #head(key: string): Promise<Uploaded | undefined> {
    const command = new HeadObjectCommand({ Bucket: this.#bucket, Key: key });
    return within((limited) => this.#clients.quick.send(command, limited)).catch(ifMissing);
  }

  async #sizeOf(key: string): Promise<number | undefined> {
    return (await this.#head(key))?.ContentLength;
  }

  async #delete(key: string): Promise<void> {
    const command = new DeleteObjectCommand({ Bucket: this.#bucket, Key: key });
    await within((limited) => this.#clients.quick.send(command, limited));
  }
}

async function* partsOf(bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
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

class StreamedObject {
  readonly #clients: BucketClients;
  readonly #target: { Bucket: string; Key: string };
  #uploadId: string | undefined;
  #parts: { PartNumber: number; ETag: string | undefined }[] = [];
  #first: Buffer | undefined;

  constructor(clients: BucketClients, target: { Bucket: string; Key: string }) {
    this.#clients = clients;
    this.#target = target;
  }

  /** Holds the first part back: if no other follows, it is the whole object. */
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
      const body = this.#first ?? Buffer.alloc(0);
      const command = new PutObjectCommand({ ...this.#target, Body: body });
      await within((limited) => this.#clients.quick.send(command, limited), body.length);
      return;
    }
    const command = new CompleteMultipartUploadCommand({
      ...this.#target,
      UploadId: this.#uploadId,
      MultipartUpload: { Parts: this.#parts },
    });
    await within((limited) => this.#clients.quick.send(command, limited));
  }

  async abort(): Promise<void> {
    if (this.#uploadId === undefined) return;
    const command = new AbortMultipartUploadCommand({ ...this.#target, UploadId: this.#uploadId });
    await within((limited) => this.#clients.quick.send(command, limited)).catch(() => {});
  }

  async #send(part: Buffer): Promise<void> {
    const begin = new CreateMultipartUploadCommand(this.#target);
    this.#uploadId ??= (await within((limited) => this.#clients.quick.send(begin, limited))).UploadId;
    const PartNumber = this.#parts.length + 1;
    // The first part can be freed while this one is sent.
    this.#first = Buffer.alloc(0);
    const command = new UploadPartCommand({ ...this.#target, UploadId: this.#uploadId, PartNumber, Body: part });
    const { ETag } = await within((limited) => this.#clients.quick.send(command, limited), part.length);
    this.#parts.push({ PartNumber, ETag });
  }
}
