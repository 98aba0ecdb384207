import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  type Part,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Clock } from '../postgres/database-clock.ts';
import type { BucketHealth } from './bucket-health.ts';
import { type PartStore, StoreUnavailable, type UploadTicket } from './object-store.ts';
import { type PartedUpload, partNumbers, partSize, partsMissing } from './parts.ts';
import { type BucketClients, type Limited, within, withinTimeOf } from './s3-clients.ts';
import { ifMissing, objectKey, signedUntil } from './s3-keys.ts';

/** Limits joins that fail because upload parts are PUT again meanwhile. */
const JOIN_TRIES = 5;
/** A bucket lists up to 1,000 upload parts on a page, and has up to 10,000. A server with more pages repeats itself. */
const PAGES_MAX = 100;

interface Surroundings {
  health: BucketHealth;
  isObject: (id: string) => Promise<boolean>;
  now: Clock;
}

/**
 * Uploads in upload parts are multipart uploads of the object itself: invisible until completed, and afterwards their URLs are invalid. The bucket
 * knows which upload parts it has, so clients need not keep track.
 */
export class S3Parts implements PartStore {
  readonly #clients: BucketClients;
  readonly #bucket: string;
  readonly #now: Clock;
  readonly #health: BucketHealth;
  readonly #isObject: (id: string) => Promise<boolean>;
  readonly #joining = new Map<string, Promise<number[]>>();

  constructor(clients: BucketClients, bucket: string, { health, isObject, now }: Surroundings) {
    this.#clients = clients;
    this.#bucket = bucket;
    this.#now = now;
    this.#health = health;
    this.#isObject = isObject;
  }

  async begin(id: string): Promise<string> {
    this.#health.require();
    const command = new CreateMultipartUploadCommand({ Bucket: this.#bucket, Key: objectKey(id) });
    const { UploadId } = await within((limited) => this.#clients.quick.send(command, limited));
    if (UploadId === undefined) throw new Error('the bucket began an upload without a name');
    return UploadId;
  }

  /** Signs the length, too, but does not list it as a header: a browser sets Content-Length itself and allows nothing else. */
  async ticket(upload: PartedUpload, number: number, expiresAt: Date): Promise<UploadTicket> {
    this.#health.require();
    const command = new UploadPartCommand({ ...this.#target(upload), PartNumber: number, ContentLength: partSize(upload, number) });
    const url = await getSignedUrl(this.#clients.quick, command, {
      ...signedUntil(expiresAt, this.#now()),
      signableHeaders: new Set(['content-length', 'host']),
    });
    return { url, headers: {} };
  }

  async arrived(upload: PartedUpload): Promise<number[]> {
    const parts = await this.#list(upload);
    if (parts) return numbersOf(parts);
    return (await this.#isObject(upload.id)) ? partNumbers(upload) : [];
  }

  /** Concurrent calls in one process share one join. Of several processes, the later ones find the upload joined. */
  join(upload: PartedUpload): Promise<number[]> {
    const joining = this.#joining.get(upload.id) ?? this.#joinOnce(upload, JOIN_TRIES).finally(() => this.#joining.delete(upload.id));
    this.#joining.set(upload.id, joining);
    return joining;
  }

  async #joinOnce(upload: PartedUpload, tries: number): Promise<number[]> {
    const parts = await this.#list(upload);
    if (!parts) return (await this.#isObject(upload.id)) ? [] : partNumbers(upload);
    const missing = partsMissing(upload, numbersOf(parts));
    if (missing.length > 0) return missing;
    const Parts = parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }));
    try {
      const command = new CompleteMultipartUploadCommand({ ...this.#target(upload), MultipartUpload: { Parts } });
      await withinTimeOf(upload.sizeBytes, (limited) => this.#clients.slow.send(command, limited));
      return [];
    } catch (error) {
      const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
      const isOvertaken = name === 'InvalidPart' || $metadata?.httpStatusCode === 404;
      if (!isOvertaken || tries <= 1) throw error;
      return this.#joinOnce(upload, tries - 1);
    }
  }

  async drop(upload: Pick<PartedUpload, 'id' | 'ref'>): Promise<void> {
    const command = new AbortMultipartUploadCommand(this.#target(upload));
    await within((limited) => this.#clients.quick.send(command, limited)).catch(ifMissing);
  }

  async #list(upload: PartedUpload): Promise<NumberedPart[] | undefined> {
    const parts = await within((limited) => this.#listAll(upload, limited)).catch(ifMissing);
    return parts
      ?.filter((part): part is NumberedPart => part.PartNumber !== undefined && part.Size === partSize(upload, part.PartNumber))
      .toSorted((a, b) => a.PartNumber - b.PartNumber);
  }

  /** Only IsTruncated says whether there is more, because servers send NextPartNumberMarker with the last page, too. */
  async #listAll(upload: PartedUpload, limited: Limited): Promise<Part[]> {
    const parts: Part[] = [];
    let PartNumberMarker: string | undefined;
    for (let pages = 1; pages <= PAGES_MAX; pages++) {
      const command = new ListPartsCommand({ ...this.#target(upload), PartNumberMarker });
      const page = await this.#clients.quick.send(command, limited);
      parts.push(...(page.Parts ?? []));
      if (page.IsTruncated !== true) return parts;
      PartNumberMarker = page.NextPartNumberMarker;
    }
    throw new StoreUnavailable('the bucket lists parts without end');
  }

  #target({ id, ref }: Pick<PartedUpload, 'id' | 'ref'>): { Bucket: string; Key: string; UploadId: string } {
    return { Bucket: this.#bucket, Key: objectKey(id), UploadId: ref };
  }
}

type NumberedPart = Part & { PartNumber: number };

function numbersOf(parts: readonly NumberedPart[]): number[] {
  return parts.map(({ PartNumber }) => PartNumber);
}
