import { createHash } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { DiskReserve } from './disk-reserve.ts';
import { ownDownloadUrl } from './download-url.ts';
import { CHUNK_BYTES, exactly, Folder, makeFolder, sizeOf, syncFolder } from './folder.ts';
import { FolderNamed } from './folder-named.ts';
import { type Exclusively, FolderParts } from './folder-parts.ts';
import { writeNewest } from './newest-writer.ts';
import { objectPath } from './object-path.ts';
import type { DownloadTerms, ObjectStore, UploadTerms, UploadTicket } from './object-store.ts';
import type { UrlSigner } from './url-signer.ts';

const DOWNLOAD_CHUNK_BYTES = 64 * 1024;

/**
 * Objects as files in a folder, served by the service through signed URLs. Bytes are written to a temporary file, synced and renamed, so that no
 * incomplete file has the name of an object.
 */
export class FolderStore implements ObjectStore {
  readonly parts: FolderParts;
  /** Always healthy: the disk has its own checks. */
  readonly health = { fault: undefined, wasReached: true };
  readonly named: FolderNamed;
  /** A link is made in one step. */
  readonly sealsByCopy = false;
  readonly #folder: Folder;
  readonly #reserve: DiskReserve;
  readonly #signer: UrlSigner;
  readonly #publicUrl: string;

  constructor(root: string, signer: UrlSigner, publicUrl: string, exclusively: Exclusively, reserveBytes = 0) {
    this.#folder = new Folder(root);
    this.#reserve = new DiskReserve(root, reserveBytes);
    this.#signer = signer;
    this.#publicUrl = publicUrl;
    this.named = new FolderNamed(this.#folder, this.#reserve);
    this.parts = new FolderParts(this.#folder, this.#reserve, signer, publicUrl, exclusively);
  }

  async write(id: string, bytes: Readable): Promise<{ sizeBytes: number; sha256: Buffer }> {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    const chunks: AsyncIterable<Buffer> = bytes;
    const seen = async function* () {
      for await (const chunk of chunks) {
        sizeBytes += chunk.length;
        hash.update(chunk);
        yield chunk;
      }
    };
    await this.#writeTo(this.#object(id), id, seen());
    return { sizeBytes, sha256: hash.digest() };
  }

  async uploadTicket(id: string, { sizeBytes, contentType, expiresAt }: UploadTerms): Promise<UploadTicket> {
    const urlPath = objectPath(id);
    const query = this.#signer.sign('PUT', urlPath, { size: String(sizeBytes), type: contentType }, expiresAt);
    return { url: `${this.#publicUrl}${urlPath}?${query}`, headers: { 'Content-Type': contentType } };
  }

  requireRoom(sizeBytes: number): Promise<void> {
    return this.#reserve.requireRoom(sizeBytes);
  }

  /** Receives a client's PUT. It keeps nothing when it throws: WrongSize, or TakenOver (a newer request PUTs the same upload). */
  async receive(id: string, bytes: AsyncIterable<Buffer>, sizeBytes: number): Promise<void> {
    await this.requireRoom(sizeBytes);
    await this.#writeTo(this.#upload(id), id, exactly(bytes, sizeBytes));
  }

  async seal(id: string, objectId: string): Promise<number | undefined> {
    const object = this.#object(objectId);
    const sealed = await sizeOf(object);
    if (sealed !== undefined) return sealed;
    await makeFolder(path.dirname(object));
    await this.#linkUpload(id, object);
    await syncFolder(path.dirname(object));
    return sizeOf(object);
  }

  /**
   * A link, because a rename would replace an object that another process has sealed. The upload may be missing, because that process has
   * removed it.
   */
  async #linkUpload(id: string, object: string): Promise<void> {
    const isMissing = await link(this.#upload(id), object).then(() => false, isNotFound);
    // The link fails in the same way while another PUT replaces the upload.
    if (isMissing && (await sizeOf(this.#upload(id))) !== undefined) await this.#linkUpload(id, object);
  }

  uploadedBytes(id: string): Promise<number | undefined> {
    return sizeOf(this.#upload(id));
  }

  objectSize(id: string): Promise<number | undefined> {
    return sizeOf(this.#object(id));
  }

  async downloadOrigin(): Promise<undefined> {}

  async downloadUrl(id: string, terms: DownloadTerms): Promise<string> {
    return ownDownloadUrl(this.#signer, this.#publicUrl, id, terms);
  }

  async read(id: string): Promise<Readable> {
    const file = await open(this.#object(id), 'r');
    return file.createReadStream({ highWaterMark: CHUNK_BYTES });
  }

  /** Reads little ahead: the client may be slow. */
  async readRange(id: string, range: { start: number; end: number } | undefined): Promise<Readable> {
    const file = await open(this.#object(id), 'r');
    return file.createReadStream({ highWaterMark: DOWNLOAD_CHUNK_BYTES, ...range });
  }

  async removeUpload(id: string): Promise<void> {
    await rm(this.#upload(id), { force: true });
    await this.parts.drop({ id });
  }

  async remove(id: string): Promise<void> {
    await this.removeUpload(id);
    await rm(this.#object(id), { force: true });
  }

  list(changedBefore: Date): AsyncIterable<string> {
    return this.#folder.list(changedBefore);
  }

  async #writeTo(target: string, id: string, bytes: AsyncIterable<Buffer>): Promise<void> {
    await makeFolder(path.dirname(target));
    const options = { isSynced: true, requireRoom: () => this.#reserve.requireRoom() };
    await writeNewest(this.#folder.aside(id), bytes, options, async (aside) => {
      await rename(aside, target);
      await syncFolder(path.dirname(target));
    });
  }

  #object(id: string): string {
    return this.#folder.file('objects', id);
  }

  #upload(id: string): string {
    return this.#folder.file('uploads', id);
  }
}

function isNotFound(error: NodeJS.ErrnoException): boolean {
  if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error;
  return error.code === 'ENOENT';
}
