import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { invalid, Refusal } from '../../contract/errors.ts';
import { formatId, newUuid, parseId } from '../../contract/ids.ts';
import {
  CONTENT_TYPE_MAX_CHARS,
  DOWNLOAD_URL_LIFETIME_S,
  FILENAME_MAX_CHARS,
  INLINE_FILE_MAX_BYTES,
  UPLOAD_PUT_WITHIN_S,
} from '../../contract/limits.ts';
import { isBusiness, type Party } from '../../contract/parties.ts';
import { type Quotas, quotaRefusal } from '../../contract/quotas.ts';
import { type DownloadTerms, isStoreUnavailable, type ObjectStore, type UploadTicket } from '../../platform/objects/object-store.ts';
import type { Clock } from '../../platform/postgres/database-clock.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { type Announcement, checkAnnouncement, isContentType, noSuchUpload, rememberUpload } from './announcements.ts';
import type { DeliveredFile } from './delivered-file.ts';
import { Sealing } from './sealing.ts';
import * as store from './store.ts';

export interface AnnouncedUpload extends UploadTicket {
  id: string;
  expiresAt: Date;
}

export const uploadStates = ['announced', 'uploaded', 'sealed'] as const;
export type UploadState = (typeof uploadStates)[number];

const ANY_CONTENT_TYPE = 'application/octet-stream';

export class Files {
  readonly #database: Database;
  readonly #objects: ObjectStore;
  readonly #quotas: Quotas;
  readonly #sealing: Sealing;
  readonly #now: Clock;
  readonly #urlOf: (id: string, terms: DownloadTerms) => string;

  constructor(
    database: Database,
    objects: ObjectStore,
    quotas: Quotas,
    { now, urlOf }: { now: Clock; urlOf: (id: string, terms: DownloadTerms) => string },
  ) {
    this.#now = now;
    this.#urlOf = urlOf;
    this.#database = database;
    this.#objects = objects;
    this.#quotas = quotas;
    this.#sealing = new Sealing(database, objects, (objectId) => this.hash(objectId));
  }

  async announce(owner: Party, announcement: Announcement): Promise<AnnouncedUpload> {
    checkAnnouncement(announcement);
    const { contentType, sizeBytes } = announcement;
    await this.#objects.requireRoom(sizeBytes);
    const id = newUuid();
    const { createdAt } = await rememberUpload(this.#database, this.#quotas, owner, { id, ...announcement });
    const expiresAt = new Date(createdAt.getTime() + UPLOAD_PUT_WITHIN_S * 1000);
    const ticket = await this.#objects.uploadTicket(id, { sizeBytes, contentType, expiresAt });
    return { ...ticket, id: formatId('upl', id), expiresAt };
  }

  async showWhole(owner: Party, uploadId: string): Promise<(store.WholeUpload & { state: UploadState }) | undefined> {
    const id = parseId('upl', uploadId) ?? noSuchUpload(uploadId);
    const upload = await store.findWholeUpload(this.#database.of(owner.id), owner.id, id);
    if (!upload) return undefined;
    const isThere = upload.isSealed || (await this.#objects.uploadedBytes(id)) !== undefined;
    return { ...upload, state: upload.isSealed ? 'sealed' : isThere ? 'uploaded' : 'announced' };
  }

  /** The caller discards the file if the message is not sent. */
  async storeInline(filename: string, contentType: string | undefined, bytes: AsyncIterable<Buffer>): Promise<DeliveredFile> {
    const problem = filenameProblem(filename);
    if (problem !== undefined) throw invalid([{ path: '/filename', message: problem }]);
    const objectId = newUuid();
    const { sizeBytes, sha256 } = await this.#objects.write(objectId, Readable.from(limited(bytes), { objectMode: false }));
    const type =
      contentType !== undefined && isContentType(contentType) && contentType.length <= CONTENT_TYPE_MAX_CHARS
        ? contentType
        : ANY_CONTENT_TYPE;
    return { id: newUuid(), objectId, filename, contentType: type, sizeBytes, sha256 };
  }

  /** No request waits for a store that hangs: the next clean-up removes a file that can't be removed now, as an orphan. */
  async discard(files: readonly DeliveredFile[]): Promise<void> {
    try {
      for (const { objectId } of files) await this.#objects.remove(objectId);
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error;
    }
  }

  /** Counts files that came in a request toward an owner of the business. A later refusal does not undo that. */
  async chargeInline(owner: Party, files: readonly DeliveredFile[]): Promise<void> {
    const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (bytes === 0 || !isBusiness(owner)) return;
    if (!(await store.chargeOwner(this.#database, owner.id, bytes, this.#quotas.dailyUploadBytesPerPerson)))
      throw quotaRefusal('daily_upload_bytes_per_person', this.#quotas, new Date());
  }

  /** Finds the uploads of a message, whose bytes can't change from then on. */
  async seal(owner: Party, uploadIds: readonly string[]): Promise<store.Upload[]> {
    const wanted = uploadIds.map((given) => ({ given, id: parseId('upl', given) ?? noSuchUpload(given) }));
    if (wanted.length === 0) return [];
    const ids = wanted.map(({ id }) => id);
    const uploads = await store.findUploads(this.#database.of(owner.id), owner.id, ids);
    const sealed: store.Upload[] = [];
    for (const { given, id } of wanted) {
      const upload = uploads.find((one) => one.id === id) ?? noSuchUpload(given);
      const object = await this.#sealing.seal(owner.id, upload);
      if (object?.sizeBytes !== upload.sizeBytes)
        throw new Refusal('upload_incomplete', `The bytes of ${given} were never PUT to its upload URL, or its parts are not complete.`);
      sealed.push({ ...upload, objectId: object.objectId });
    }
    return sealed;
  }

  /**
   * Turns sealed uploads into files of a message. That may read all their bytes, so everything that can refuse the message comes before.
   */
  async attach(owner: Party, uploads: readonly store.Upload[]): Promise<DeliveredFile[]> {
    const files: DeliveredFile[] = [];
    for (const upload of uploads) {
      const { objectId, filename, contentType, sizeBytes } = upload;
      files.push({ id: newUuid(), objectId, filename, contentType, sizeBytes, sha256: await this.#sealing.hash(owner.id, upload) });
    }
    return files;
  }

  async hash(objectId: string, seen: (bytes: number) => void = () => {}): Promise<Buffer> {
    const hash = createHash('sha256');
    const chunks: AsyncIterable<Buffer> = await this.#objects.read(objectId);
    for await (const chunk of chunks) {
      hash.update(chunk);
      seen(chunk.length);
    }
    return hash.digest();
  }

  ofMessages(partyId: bigint, messageIds: string[]): Promise<Map<string, DeliveredFile[]>> {
    return store.filesOfMessages(this.#database.of(partyId), partyId, messageIds);
  }

  async find(partyId: bigint, id: string): Promise<DeliveredFile> {
    const fileId = parseId('file', id);
    const file = fileId === undefined ? undefined : await store.findFile(this.#database.of(partyId), partyId, fileId);
    if (!file) throw new Refusal('not_found', 'The file was not found.');
    return file;
  }

  /** A URL of the service, even if a bucket has the bytes: S3 signs a URL for one method, but clients use GET and HEAD. */
  async downloadUrl({ objectId, filename, contentType }: DeliveredFile): Promise<{ url: string; expiresAt: Date }> {
    const expiresAt = new Date(this.#now().getTime() + DOWNLOAD_URL_LIFETIME_S * 1000);
    return { url: this.#urlOf(objectId, { filename, contentType, expiresAt }), expiresAt };
  }
}

function filenameProblem(filename: string): string | undefined {
  if (filename.includes('\0')) return 'must not contain the character U+0000';
  if (!filename.isWellFormed()) return 'must not contain half of a surrogate pair';
  return [...filename].length > FILENAME_MAX_CHARS ? `must have at most ${FILENAME_MAX_CHARS} characters` : undefined;
}

async function* limited(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > INLINE_FILE_MAX_BYTES) {
      throw new Refusal(
        'file_too_large',
        `A file inside of a request may have ${INLINE_FILE_MAX_BYTES} bytes; announce larger ones with POST /v1/uploads.`,
      );
    }
    yield chunk;
  }
}
