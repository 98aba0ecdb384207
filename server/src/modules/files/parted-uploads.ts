import { invalid, Refusal } from '../../contract/errors.ts';
import { formatId, newUuid, parseId } from '../../contract/ids.ts';
import { UPLOAD_PART_BYTES } from '../../contract/limits.ts';
import type { Party } from '../../contract/parties.ts';
import type { Quotas } from '../../contract/quotas.ts';
import type { PartStore, UploadTicket } from '../../platform/objects/object-store.ts';
import { partCount, partNumbers, partSize } from '../../platform/objects/parts.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { type Announcement, checkAnnouncement, noSuchUpload, rememberUpload } from './announcements.ts';
import { findPartedUpload, recordComplete, type StoredPartedUpload } from './parts-store.ts';

export interface Progress extends Announcement {
  id: string;
  partBytes: number;
  arrivedParts: number[];
  isComplete: boolean;
  expiresAt: Date;
}

export interface PartTicket extends UploadTicket {
  number: number;
  sizeBytes: number;
}

/** Uploads that can be resumed: upload parts are PUT in any order, and repeatedly, until the upload is completed. */
export class PartedUploads {
  readonly #database: Database;
  readonly #parts: PartStore;
  readonly #quotas: Quotas;

  constructor(database: Database, parts: PartStore, quotas: Quotas) {
    this.#database = database;
    this.#parts = parts;
    this.#quotas = quotas;
  }

  async announce(owner: Party, announcement: Announcement): Promise<Progress> {
    checkAnnouncement(announcement);
    const id = newUuid();
    const parts = { partBytes: UPLOAD_PART_BYTES, ref: await this.#parts.begin(id, announcement.sizeBytes) };
    try {
      const { expiresAt } = await rememberUpload(this.#database, this.#quotas, owner, { id, ...announcement, parts });
      return {
        ...announcement,
        id: formatId('upl', id),
        partBytes: parts.partBytes,
        arrivedParts: [],
        isComplete: false,
        expiresAt,
      };
    } catch (error) {
      await this.#parts.drop({ id, ref: parts.ref });
      throw error;
    }
  }

  async show(owner: Party, uploadId: string): Promise<Progress> {
    const upload = await this.#find(owner, uploadId);
    const arrivedParts = upload.isComplete ? partNumbers(upload) : await this.#parts.arrived(upload);
    return { ...upload, id: uploadId, arrivedParts };
  }

  async tickets(owner: Party, uploadId: string, numbers: readonly number[]): Promise<{ parts: PartTicket[]; expiresAt: Date }> {
    const upload = await this.#find(owner, uploadId);
    const count = partCount(upload);
    const problems = numbers.flatMap((number, i) =>
      number > count ? [{ path: `/numbers/${i}`, message: `must be at most ${count}, as many parts as the file has` }] : [],
    );
    if (problems.length > 0) throw invalid(problems);
    if (upload.isComplete) throw new Refusal('conflict', 'This upload is complete; announce a new one for other bytes.');
    const parts = await Promise.all(
      numbers.map(async (number) => ({
        ...(await this.#parts.ticket(upload, number, upload.putBefore)),
        number,
        sizeBytes: partSize(upload, number),
      })),
    );
    return { parts, expiresAt: upload.putBefore };
  }

  /** Completes the upload. From then on, the bytes can't change, and messages may refer to them. A second call returns the same. */
  async complete(owner: Party, uploadId: string): Promise<Progress> {
    const upload = await this.#find(owner, uploadId);
    if (!upload.isComplete) {
      const missing = await this.#parts.join(upload);
      if (missing.length > 0) throw new Refusal('upload_incomplete', `These parts of ${uploadId} are missing: ${missing.join(', ')}.`);
      await recordComplete(this.#database.of(owner.id), owner.id, upload.id);
    }
    return { ...upload, id: uploadId, arrivedParts: partNumbers(upload), isComplete: true };
  }

  async #find(owner: Party, uploadId: string): Promise<StoredPartedUpload> {
    const id = parseId('upl', uploadId) ?? noSuchUpload(uploadId);
    const upload = await findPartedUpload(this.#database.of(owner.id), owner.id, id);
    if (upload === null) throw invalid([{ path: '', message: 'this upload was announced in one piece, not with "parts": true' }]);
    return upload ?? noSuchUpload(uploadId);
  }
}
