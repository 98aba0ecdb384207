import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { newUuid } from '../../contract/ids.ts';
import { harmlessName } from './content-disposition.ts';
import type { DownloadTerms, ObjectStore, UploadTerms, UploadTicket } from './object-store.ts';
import type { UrlSigner } from './url-signer.ts';

const CHUNK_BYTES = 256 * 1024;

/** More bytes came than were agreed on, or fewer. */
export class WrongSize extends Error {}

/**
 * Objects as files in a folder, handed out by the service itself through signed URLs. Whatever comes in is written
 * aside, synced and renamed, so that no half file ever has the name of an object.
 */
export class FolderStore implements ObjectStore {
  readonly #folder: string;
  readonly #signer: UrlSigner;
  readonly #publicUrl: () => string;

  constructor(folder: string, signer: UrlSigner, publicUrl: () => string) {
    this.#folder = folder;
    this.#signer = signer;
    this.#publicUrl = publicUrl;
  }

  async write(id: string, bytes: Readable): Promise<{ sizeBytes: number; sha256: Buffer }> {
    const hash = createHash('sha256');
    const sizeBytes = await this.#writeAside(bytes, this.#object(id), (chunk) => hash.update(chunk));
    return { sizeBytes, sha256: hash.digest() };
  }

  async uploadTicket(id: string, { sizeBytes, contentType, expiresAt }: UploadTerms): Promise<UploadTicket> {
    const urlPath = objectPath(id);
    const query = this.#signer.sign('PUT', urlPath, { size: String(sizeBytes), type: contentType }, expiresAt);
    return { url: `${this.#publicUrl()}${urlPath}?${query}`, headers: { 'Content-Type': contentType } };
  }

  /** Takes what a client PUTs. Throws WrongSize, and keeps nothing, when it is not exactly as much as agreed. */
  async receive(id: string, bytes: AsyncIterable<Buffer>, sizeBytes: number): Promise<void> {
    let received = 0;
    await this.#writeAside(
      bytes,
      this.#upload(id),
      (chunk) => {
        received += chunk.length;
        if (received > sizeBytes) throw new WrongSize();
      },
      () => {
        if (received !== sizeBytes) throw new WrongSize();
      },
    );
  }

  async seal(id: string): Promise<number | undefined> {
    const sealed = await sizeOf(this.#object(id));
    if (sealed !== undefined) return sealed;
    await mkdir(path.dirname(this.#object(id)), { recursive: true, mode: 0o700 });
    // A link fails where a rename would replace what somebody else has sealed meanwhile; they may also have taken it away.
    await link(this.#upload(id), this.#object(id)).catch(ignoring('EEXIST', 'ENOENT'));
    await rm(this.#upload(id), { force: true });
    await syncFolder(path.dirname(this.#object(id)));
    return sizeOf(this.#object(id));
  }

  /** Undefined when there is no such object; an upload that was not sealed is none. */
  objectSize(id: string): Promise<number | undefined> {
    return sizeOf(this.#object(id));
  }

  async downloadUrl(id: string, { filename, contentType, expiresAt }: DownloadTerms): Promise<string> {
    const urlPath = objectPath(id);
    // Not the name itself, which may be longer than a URL can be.
    const terms = { name: harmlessName(filename), type: contentType };
    return `${this.#publicUrl()}${urlPath}?${this.#signer.sign('GET', urlPath, terms, expiresAt)}`;
  }

  async read(id: string): Promise<Readable> {
    return this.readRange(id, undefined);
  }

  async readRange(id: string, range: { start: number; end: number } | undefined): Promise<Readable> {
    const file = await open(this.#object(id), 'r');
    return file.createReadStream({ highWaterMark: CHUNK_BYTES, ...range });
  }

  async removeUpload(id: string): Promise<void> {
    await rm(this.#upload(id), { force: true });
  }

  async remove(id: string): Promise<void> {
    await this.removeUpload(id);
    await rm(this.#object(id), { force: true });
  }

  async *list(changedBefore: Date): AsyncIterable<string> {
    await this.#removeAbandoned(changedBefore);
    for (const part of ['uploads', 'objects']) {
      for await (const { name, changedAt } of filesBelow(path.join(this.#folder, part))) if (changedAt < changedBefore) yield name;
    }
  }

  /** What was being written when a process was killed. */
  async #removeAbandoned(changedBefore: Date): Promise<void> {
    const aside = path.join(this.#folder, 'aside');
    for await (const { name, changedAt } of filesBelow(aside))
      if (changedAt < changedBefore) await rm(path.join(aside, name), { force: true });
  }

  async #writeAside(
    bytes: AsyncIterable<Buffer>,
    target: string,
    see: (chunk: Buffer) => void,
    atEnd: () => void = () => {},
  ): Promise<number> {
    const aside = path.join(this.#folder, 'aside', newUuid());
    await mkdir(path.dirname(aside), { recursive: true, mode: 0o700 });
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    const file = createWriteStream(aside, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: CHUNK_BYTES });
    let sizeBytes = 0;
    try {
      const seeing = async function* (source: AsyncIterable<Buffer>) {
        for await (const chunk of source) {
          sizeBytes += chunk.length;
          see(chunk);
          yield chunk;
        }
        atEnd();
      };
      await pipeline(bytes, seeing, file);
      await rename(aside, target);
      await syncFolder(path.dirname(target));
      return sizeBytes;
    } catch (error) {
      if (!file.closed) await new Promise<void>((resolve) => file.once('close', resolve));
      await rm(aside, { force: true });
      throw error;
    }
  }

  #object(id: string): string {
    return this.#file('objects', id);
  }

  #upload(id: string): string {
    return this.#file('uploads', id);
  }

  /** By id only, in 256 folders by its last digits, which are random. */
  #file(part: string, id: string): string {
    if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error('not the id of an object');
    return path.join(this.#folder, part, id.slice(-2), id);
  }
}

export function objectPath(id: string): string {
  return `/objects/${id}`;
}

async function sizeOf(file: string): Promise<number | undefined> {
  const found = await stat(file).catch(ignoring('ENOENT'));
  return found?.size;
}

/** A rename is durable once the folder it happened in is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function* filesBelow(folder: string): AsyncIterable<{ name: string; changedAt: Date }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ignoring('ENOENT'));
  for (const entry of entries ?? []) {
    const found = entry.isFile() ? await stat(path.join(entry.parentPath, entry.name)).catch(ignoring('ENOENT')) : undefined;
    if (found) yield { name: entry.name, changedAt: found.mtime };
  }
}

function ignoring(...codes: string[]) {
  return (error: NodeJS.ErrnoException): undefined => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}
