import type { Readable } from 'node:stream';
import { isRecord } from '../../contract/records.ts';
import { codeOf } from '../../contract/thrown.ts';
import type { NamedObjects } from './named-objects.ts';
import type { PartedUpload } from './parts.ts';

/** Stores the bytes of files. An object has an id and never changes. Uploaded bytes are kept apart until they are sealed into an object. */
export interface ObjectStore {
  readonly health: StoreHealth;
  /** Uploads in upload parts. Once joined, they are objects like sealed uploads. */
  readonly parts: PartStore;
  readonly named: NamedObjects;
  /** Resolves when the object is durable. If it rejects, nothing is stored. */
  write(id: string, bytes: Readable): Promise<{ sizeBytes: number; sha256: Buffer }>;
  requireRoom(sizeBytes: number): Promise<void>;
  uploadTicket(id: string, terms: UploadTerms): Promise<UploadTicket>;
  /**
   * Turns an upload into the object `objectId` and returns its size. Undefined: there is no upload. Later PUTs do not reach the object. The upload
   * may still be there afterwards: the caller removes it once it has recorded the object.
   */
  seal(id: string, objectId: string): Promise<number | undefined>;
  /**
   * Whether sealing copies the bytes, which takes time and may go on after its process has died. Then each call names an object of its own, so
   * that no copy can change what another one has made. Otherwise, the first of several calls for an object makes it.
   */
  readonly sealsByCopy: boolean;
  uploadedBytes(id: string): Promise<number | undefined>;
  /** Returns undefined if there is no such object. An upload that was not sealed is no object. */
  objectSize(id: string): Promise<number | undefined>;
  /** The origin of download URLs, if it is not the service itself. */
  downloadOrigin(): Promise<string | undefined>;
  downloadUrl(id: string, terms: DownloadTerms): Promise<string>;
  read(id: string): Promise<Readable>;
  /** Removes an upload that was not sealed, such as one that came after the sealing. */
  removeUpload(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  list(changedBefore: Date): AsyncIterable<string>;
}

export interface StoreHealth {
  readonly fault: string | undefined;
  readonly wasReached: boolean;
}

export interface PartStore {
  /** Returns the store's own name for the upload. Refuses if there is no space. */
  begin(id: string, sizeBytes: number): Promise<string>;
  /** The client may PUT the upload part repeatedly: the last complete PUT counts. */
  ticket(upload: PartedUpload, number: number, expiresAt: Date): Promise<UploadTicket>;
  arrived(upload: PartedUpload): Promise<number[]>;
  /**
   * Joins the upload parts into an object that no ticket can change. Returns the numbers of missing upload parts: none if the object exists now, or
   * did before.
   */
  join(upload: PartedUpload): Promise<number[]>;
  drop(upload: Pick<PartedUpload, 'id' | 'ref'>): Promise<void>;
}

export interface UploadTerms {
  sizeBytes: number;
  contentType: string;
  expiresAt: Date;
}

export interface UploadTicket {
  url: string;
  headers: Record<string, string>;
}

export interface DownloadTerms {
  filename: string;
  contentType: string;
  expiresAt: Date;
}

/** Thrown when the store has not responded in time, or not correctly. A later try may succeed. */
export class StoreUnavailable extends Error {}

/** The store has not finished a copy in time, but may still be working on it. */
export class UnfinishedCopy extends StoreUnavailable {
  /** The time that the copy was given. It is worth waiting for as long again. */
  readonly givenS: number;

  constructor(message: string, givenS: number) {
    super(message);
    this.givenS = givenS;
  }
}

const STORE_ERRNO = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS']);

/** The store is full, read-only, or does not respond correctly. A missing object does not count. */
export function isStoreUnavailable(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  return STORE_ERRNO.has(codeOf(error) ?? '') || (isRecord(error) && error['$metadata'] !== undefined);
}
