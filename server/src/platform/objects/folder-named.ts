import { link, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { newUuid } from '../../contract/ids.ts';
import { codeOf } from '../../contract/thrown.ts';
import type { DiskReserve } from './disk-reserve.ts';
import { type Folder, ignoring, makeFolder, sizeOf, syncFolder } from './folder.ts';
import { type Head, NAMED_OBJECT_MAX_BYTES, type NamedObjects } from './named-objects.ts';

/** Limits the tries to read a head that others keep replacing. */
const READ_TRIES = 10;

/**
 * A named object is a file. A head is a folder with a numbered file for each version. The highest number counts: only one process can create the next
 * one.
 */
export class FolderNamed implements NamedObjects {
  readonly #folder: Folder;
  readonly #reserve: DiskReserve;

  constructor(folder: Folder, reserve: DiskReserve) {
    this.#folder = folder;
    this.#reserve = reserve;
  }

  async put(name: string, bytes: Buffer): Promise<void> {
    await this.#reserve.requireRoom(bytes.length);
    const file = this.#folder.named(name);
    await makeFolder(path.dirname(file));
    await this.#writeAside(bytes, false, (aside) => rename(aside, file));
  }

  async get(name: string): Promise<Buffer | undefined> {
    return read(this.#folder.named(name));
  }

  async readHead(name: string): Promise<Head | undefined> {
    const folder = this.#folder.named(name);
    for (let tries = 0; tries < READ_TRIES; tries++) {
      const version = await newestIn(folder);
      if (version === undefined) return undefined;
      const bytes = await read(path.join(folder, String(version)));
      if (bytes) return { bytes, version: String(version) };
    }
    throw new Error('the head changes faster than it can be read');
  }

  async replaceHead(name: string, bytes: Buffer, version: string | undefined): Promise<boolean> {
    const folder = this.#folder.named(name);
    const next = version === undefined ? 1 : Number(version) + 1;
    await makeFolder(folder);
    await this.#writeAside(bytes, true, (aside) => link(aside, path.join(folder, String(next))).catch(ignoring('EEXIST')));
    if (!(await isSame(path.join(folder, String(next)), bytes))) return false;
    // A process that was suspended may find its number free again, because older versions are removed.
    if ((await newestIn(folder)) !== next) {
      await rm(path.join(folder, String(next)), { force: true });
      return false;
    }
    await syncFolder(folder);
    for (const older of (await numbersIn(folder)).filter((number) => number < next))
      await rm(path.join(folder, String(older)), { force: true });
    return true;
  }

  async #writeAside(bytes: Buffer, isSynced: boolean, use: (aside: string) => Promise<void>): Promise<void> {
    const aside = this.#folder.aside(`named-${newUuid()}`);
    await makeFolder(path.dirname(aside));
    try {
      const file = await open(aside, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        if (isSynced) await file.sync();
      } finally {
        await file.close();
      }
      await use(aside);
    } finally {
      await rm(aside, { force: true });
    }
  }
}

async function read(file: string): Promise<Buffer | undefined> {
  const size = await sizeOf(file);
  if (size !== undefined && size > NAMED_OBJECT_MAX_BYTES) throw new Error('a named object is too large');
  return readFile(file).catch(ignoring('ENOENT'));
}

async function isSame(file: string, bytes: Buffer): Promise<boolean> {
  return (await read(file))?.equals(bytes) ?? false;
}

async function newestIn(folder: string): Promise<number | undefined> {
  return (await numbersIn(folder)).toSorted((a, b) => b - a)[0];
}

async function numbersIn(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    return [];
  });
  return names.map(Number).filter(Number.isSafeInteger);
}
