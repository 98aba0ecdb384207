import type { Readable } from 'node:stream';
import { isRecord } from '../../contract/records.ts';
import { codeOf } from '../../contract/thrown.ts';
import type { NamedObjects } from './named-objects.ts';
import type { PartedUpload } from './parts.ts';

/**
 * Stores the bytes of files. An object has an id and never changes. Bytes that a client uploads are kept apart until they are
 * sealed into an object.
 */
export interface ObjectStore {
  readonly health: StoreHealth;
  /** Uploads in upload parts. Once joined, they are objects like sealed uploads. */
  readonly parts: PartStore;
  readonly named: NamedObjects;
  /** Durable when it resolves. When it rejects, nothing is stored. */
  write(id: string, bytes: Readable): Promise<{ sizeBytes: number; sha256: Buffer }>;
  /** Throws a refusal if there is no space for this many bytes. */
  requireRoom(sizeBytes: number): Promise<void>;
  /** The URL and headers with which a client can PUT exactly these bytes. */
  uploadTicket(id: string, terms: UploadTerms): Promise<UploadTicket>;
  /**
   * Turns an upload into an object and returns its size, or undefined when nothing was uploaded. Later PUTs to the ticket do
   * not reach the object. Sealing again only returns the size.
   */
  seal(id: string): Promise<number | undefined>;
  /**
   * Seconds for which sealing can go on after the process that began it has died; nobody else may seal the upload meanwhile. 0 if any number of
   * processes may seal an upload at once.
   */
  sealingOutlivesS(sizeBytes: number): number;
  /** The size of an upload that is not sealed yet; undefined when there is none. */
  uploadedBytes(id: string): Promise<number | undefined>;
  /** Undefined when there is no such object; an upload that was not sealed is not one. */
  objectSize(id: string): Promise<number | undefined>;
  /** Where the URLs of downloads lead, if not to the service itself. */
  downloadOrigin(): Promise<string | undefined>;
  /** A URL at which a client can GET the object for a while. */
  downloadUrl(id: string, terms: DownloadTerms): Promise<string>;
  read(id: string): Promise<Readable>;
  /** Removes an upload that was not sealed, such as one that came after the sealing; does nothing if there is none. */
  removeUpload(id: string): Promise<void>;
  /** Removes the object and any upload of the same id; does nothing if there is none. */
  remove(id: string): Promise<void>;
  /** The ids of all objects and uploads that were last changed before that time. */
  list(changedBefore: Date): AsyncIterable<string>;
}

export interface StoreHealth {
  /** Why the store can't be used at present. */
  readonly fault: string | undefined;
  /** Whether it could be used at any time since the start. */
  readonly wasReached: boolean;
}

/** Handles uploads in upload parts for an object store. */
export interface PartStore {
  /** Returns the store's own name for the upload; throws a refusal if there is no space for this many bytes. */
  begin(id: string, sizeBytes: number): Promise<string>;
  /** The URL with which a client can PUT exactly the bytes of this upload part, repeatedly: the last complete PUT counts. */
  ticket(upload: PartedUpload, number: number, expiresAt: Date): Promise<UploadTicket>;
  /** The numbers of the upload parts that are complete and durable, in ascending order. */
  arrived(upload: PartedUpload): Promise<number[]>;
  /**
   * Joins the upload parts into an object that no ticket can change any more. Returns the numbers of missing upload parts: none
   * when the object exists now, or did before.
   */
  join(upload: PartedUpload): Promise<number[]>;
  /** Removes all upload parts of an upload that was not joined; does nothing if there are none. */
  drop(upload: Pick<PartedUpload, 'id' | 'ref'>): Promise<void>;
}

export interface UploadTerms {
  sizeBytes: number;
  contentType: string;
  expiresAt: Date;
}

export interface UploadTicket {
  url: string;
  /** To be sent with the PUT. */
  headers: Record<string, string>;
}

export interface DownloadTerms {
  filename: string;
  contentType: string;
  expiresAt: Date;
}

/** The store has not responded in time, or not correctly; a later try may succeed. */
export class StoreUnavailable extends Error {}

/** The same for a copy that may still go on in the store. */
export class UnfinishedCopy extends StoreUnavailable {}

const STORE_ERRNO = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS']);

/** The store is full, read-only, or does not respond as it should, as opposed to not having the object. */
export function isStoreUnavailable(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  return STORE_ERRNO.has(codeOf(error) ?? '') || (isRecord(error) && error['$metadata'] !== undefined);
}
