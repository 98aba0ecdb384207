import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { newUuid } from '../../contract/ids.ts';
import type { DiskReserve } from './disk-reserve.ts';
import { CHUNK_BYTES, exactly, type Folder, ignoring, makeFolder, sizeOf, syncFolder } from './folder.ts';
import { writeNewest } from './newest-writer.ts';
import { objectPath } from './object-path.ts';
import type { PartStore, UploadTicket } from './object-store.ts';
import { type PartedUpload, partCount, partNumbers, partOffset, partSize, partsMissing } from './parts.ts';
import type { UrlSigner } from './url-signer.ts';

export type Exclusively = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** Thrown when the upload parts have become an object, which never changes. */
export class AlreadyJoined extends Error {}

const ARRIVED = 1;

/**
 * One file for each upload. Every upload part is written at its offset. Behind the last byte, each upload part has a mark, which is set once the
 * upload part is synced. Joining truncates the marks and renames the file, so a file without marks is complete.
 */
export class FolderParts implements PartStore {
  readonly #folder: Folder;
  readonly #reserve: DiskReserve;
  readonly #signer: UrlSigner;
  readonly #publicUrl: string;
  readonly #exclusively: Exclusively;

  constructor(folder: Folder, reserve: DiskReserve, signer: UrlSigner, publicUrl: string, exclusively: Exclusively) {
    this.#folder = folder;
    this.#reserve = reserve;
    this.#signer = signer;
    this.#publicUrl = publicUrl;
    this.#exclusively = exclusively;
  }

  /** Creates no file: the first upload part does. */
  async begin(id: string, sizeBytes: number): Promise<string> {
    await this.#reserve.requireRoom(sizeBytes);
    return id;
  }

  async ticket({ id, sizeBytes, partBytes }: PartedUpload, number: number, expiresAt: Date): Promise<UploadTicket> {
    const urlPath = objectPath(id);
    const terms = { part: String(number), each: String(partBytes), of: String(sizeBytes) };
    return { url: `${this.#publicUrl}${urlPath}?${this.#signer.sign('PUT', urlPath, terms, expiresAt)}`, headers: {} };
  }

  /**
   * Receives a client's PUT. It keeps nothing when it throws: WrongSize, TakenOver (a newer request PUTs the same upload part), or AlreadyJoined (too
   * late).
   */
  async receive(upload: PartedUpload, number: number, bytes: AsyncIterable<Buffer>): Promise<void> {
    const sizeBytes = partSize(upload, number);
    await this.#reserve.requireRoom(sizeBytes);
    // The bytes have their own file until they are complete, so that an interrupted PUT does not damage an earlier one. They are synced
    // only in their final place.
    const options = { isSynced: false, requireRoom: () => this.#reserve.requireRoom() };
    await writeNewest(this.#folder.aside(`${upload.id}.${number}`), exactly(bytes, sizeBytes), options, (aside) =>
      this.#exclusively(upload.id, () => this.#placeAlone(upload, number, aside)),
    );
  }

  /** The renamed file is safe from a newer writer, which waits for the lock and then overwrites the upload part. */
  async #placeAlone(upload: PartedUpload, number: number, aside: string): Promise<void> {
    const alone = this.#folder.aside(newUuid());
    await rename(aside, alone);
    try {
      await this.#place(upload, number, alone);
    } finally {
      await rm(alone, { force: true });
    }
  }

  async arrived(upload: PartedUpload): Promise<number[]> {
    const file = await open(this.#folder.file('parts', upload.id), 'r').catch(ignoring('ENOENT'));
    if (!file) return (await this.#isObject(upload.id)) ? partNumbers(upload) : [];
    try {
      if ((await file.stat()).size === upload.sizeBytes) return partNumbers(upload);
      const marks = Buffer.alloc(partCount(upload));
      await file.read(marks, 0, marks.length, upload.sizeBytes);
      return partNumbers(upload).filter((number) => marks[number - 1] === ARRIVED);
    } finally {
      await file.close();
    }
  }

  join(upload: PartedUpload): Promise<number[]> {
    return this.#exclusively(upload.id, async () => {
      const missing = partsMissing(upload, await this.arrived(upload));
      if (missing.length === 0 && !(await this.#isObject(upload.id))) await this.#makeObject(upload);
      return missing;
    });
  }

  async drop({ id }: Pick<PartedUpload, 'id'>): Promise<void> {
    await rm(this.#folder.file('parts', id), { force: true });
  }

  async #place(upload: PartedUpload, number: number, aside: string): Promise<void> {
    if (await this.#isObject(upload.id)) throw new AlreadyJoined();
    const file = await this.#open(upload);
    try {
      await mark(file, upload, number, 0);
      await copyInto(file, partOffset(upload, number), aside);
      await file.datasync();
      await mark(file, upload, number, ARRIVED);
    } finally {
      await file.close();
    }
  }

  /** An upload's file has its full length from the beginning. A shorter file has lost its marks, so it is complete. */
  async #open(upload: PartedUpload): Promise<FileHandle> {
    const name = this.#folder.file('parts', upload.id);
    await makeFolder(path.dirname(name));
    const file = await open(name, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      const { size } = await file.stat();
      if (size === 0) {
        await file.truncate(upload.sizeBytes + partCount(upload));
        await file.sync();
        await syncFolder(path.dirname(name));
      } else if (size === upload.sizeBytes) throw new AlreadyJoined();
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async #makeObject({ id, sizeBytes }: PartedUpload): Promise<void> {
    const [parts, object] = [this.#folder.file('parts', id), this.#folder.file('objects', id)];
    const file = await open(parts, 'r+');
    try {
      await file.truncate(sizeBytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await makeFolder(path.dirname(object));
    await rename(parts, object);
    await syncFolder(path.dirname(object));
  }

  async #isObject(id: string): Promise<boolean> {
    return (await sizeOf(this.#folder.file('objects', id))) !== undefined;
  }
}

async function copyInto(target: FileHandle, position: number, source: string): Promise<void> {
  let at = position;
  const chunks: AsyncIterable<Buffer> = createReadStream(source, { highWaterMark: CHUNK_BYTES });
  for await (const chunk of chunks) {
    for (let done = 0; done < chunk.length; ) done += (await target.write(chunk, done, chunk.length - done, at + done)).bytesWritten;
    at += chunk.length;
  }
}

/** Sets a mark durably, unless it is set already. */
async function mark(file: FileHandle, upload: PartedUpload, number: number, value: number): Promise<void> {
  const [position, current] = [upload.sizeBytes + number - 1, Buffer.alloc(1)];
  await file.read(current, 0, 1, position);
  if (current[0] === value) return;
  await file.write(Buffer.from([value]), 0, 1, position);
  await file.datasync();
}
