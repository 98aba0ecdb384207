import type { Readable } from 'node:stream';
import type { PartedUpload } from './parts.ts';

/**
 * Where the bytes of files are. An object has an id and never changes once it is there. Bytes that a client uploads by
 * itself are kept apart until they are sealed into an object.
 */
export interface ObjectStore {
  /** Uploads of which the parts come one by one. Joined, they are an object just like a sealed upload. */
  readonly parts: PartStore;
  /** Durable when it resolves. When it rejects, nothing is left. */
  write(id: string, bytes: Readable): Promise<{ sizeBytes: number; sha256: Buffer }>;
  /** Throws a refusal where there is no room for so many bytes. */
  requireRoom(sizeBytes: number): Promise<void>;
  /** What a client needs to PUT exactly these bytes by itself. */
  uploadTicket(id: string, terms: UploadTerms): Promise<UploadTicket>;
  /**
   * Makes uploaded bytes an object, and tells how many there are, or undefined when none were uploaded. Nothing that is
   * PUT to the ticket afterwards reaches the object. Sealing again only tells.
   */
  seal(id: string): Promise<number | undefined>;
  /** How many bytes were uploaded and not sealed yet; undefined when there are none. */
  uploadedBytes(id: string): Promise<number | undefined>;
  /** Undefined when there is no such object; an upload that was not sealed is none. */
  objectSize(id: string): Promise<number | undefined>;
  /** Where a client can GET the object for a while. */
  downloadUrl(id: string, terms: DownloadTerms): Promise<string>;
  read(id: string): Promise<Readable>;
  /** Removes what was uploaded and never sealed, such as what came after; that there is nothing is fine. */
  removeUpload(id: string): Promise<void>;
  /** Removes the object and whatever was uploaded for it; that there is nothing is fine. */
  remove(id: string): Promise<void>;
  /** The ids of everything that is there, objects and uploads, last changed before that time. */
  list(changedBefore: Date): AsyncIterable<string>;
}

/** What an object store does with files that come in parts. */
export interface PartStore {
  /** Gives what the store calls it; throws a refusal where there is no room for so many bytes. */
  begin(id: string, sizeBytes: number): Promise<string>;
  /** What a client needs to PUT exactly the bytes of this part by itself, as often as it likes: the last whole one counts. */
  ticket(upload: PartedUpload, number: number, expiresAt: Date): Promise<UploadTicket>;
  /** The numbers of those that are there, whole and for good, in ascending order. */
  arrived(upload: PartedUpload): Promise<number[]>;
  /**
   * Makes them an object that no ticket can change any more, and tells which parts are missing for that: none when it is
   * done, or was before.
   */
  join(upload: PartedUpload): Promise<number[]>;
  /** Removes all parts of what was not joined; that there are none is fine. */
  drop(upload: Pick<PartedUpload, 'id' | 'ref'>): Promise<void>;
}

export interface UploadTerms {
  sizeBytes: number;
  contentType: string;
  expiresAt: Date;
}

export interface UploadTicket {
  url: string;
  /** To be sent along with the PUT. */
  headers: Record<string, string>;
}

export interface DownloadTerms {
  filename: string;
  contentType: string;
  expiresAt: Date;
}

/** The store has not responded in time, or not as it should; whoever asks again later may be lucky. */
export class StoreUnavailable extends Error {}

/** The same of a copy that may still go on in the store. */
export class UnfinishedCopy extends StoreUnavailable {}

const STORE_ERRNO = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS']);

/** The store is full, read-only, or does not respond as it should, as opposed to having no such object. */
export function isStoreUnavailable(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  const { code, $metadata } = (error ?? {}) as { code?: string; $metadata?: object };
  return STORE_ERRNO.has(code ?? '') || $metadata !== undefined;
}
