import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { newUuid } from '../../contract/ids.ts';

export const CHUNK_BYTES = 256 * 1024;

/** More bytes came than were agreed on, or fewer. */
export class WrongSize extends Error {}

/** Where a folder store has what: objects, uploads of one piece, uploads in parts, and aside whatever is in the making. */
export class Folder {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** By id only, in 256 folders by its last digits, which are random. */
  file(kind: 'objects' | 'uploads' | 'parts', id: string): string {
    if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error('not the id of an object');
    return path.join(this.#root, kind, id.slice(-2), id);
  }

  /** Writes a file aside and hands it over once it is whole. Nothing stays aside, unless the process is killed. */
  async writeAside(
    bytes: AsyncIterable<Buffer>,
    { isSynced }: { isSynced: boolean },
    use: (aside: string) => Promise<void>,
  ): Promise<void> {
    const aside = path.join(this.#root, 'aside', newUuid());
    await makeFolder(path.dirname(aside));
    const file = createWriteStream(aside, { flags: 'wx', mode: 0o600, flush: isSynced, highWaterMark: CHUNK_BYTES });
    try {
      await pipeline(bytes, file);
      await use(aside);
    } finally {
      if (!file.closed) await new Promise<void>((resolve) => file.once('close', resolve));
      await rm(aside, { force: true });
    }
  }

  async *list(changedBefore: Date): AsyncIterable<string> {
    await this.#removeAbandoned(changedBefore);
    for (const kind of ['uploads', 'parts', 'objects'])
      for await (const { name, changedAt } of filesBelow(path.join(this.#root, kind))) if (changedAt < changedBefore) yield name;
  }

  /** What was being written when a process was killed. */
  async #removeAbandoned(changedBefore: Date): Promise<void> {
    const aside = path.join(this.#root, 'aside');
    for await (const { name, changedAt } of filesBelow(aside))
      if (changedAt < changedBefore) await rm(path.join(aside, name), { force: true });
  }
}

/** Passes on what comes; throws WrongSize when it is not exactly as much as agreed. */
export async function* exactly(bytes: AsyncIterable<Buffer>, sizeBytes: number): AsyncGenerator<Buffer> {
  let received = 0;
  for await (const chunk of bytes) {
    received += chunk.length;
    if (received > sizeBytes) throw new WrongSize();
    yield chunk;
  }
  if (received !== sizeBytes) throw new WrongSize();
}

/** For the eyes of the service's account only. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

export async function sizeOf(file: string): Promise<number | undefined> {
  const found = await stat(file).catch(ignoring('ENOENT'));
  return found?.size;
}

/** A name is durable once the folder it stands in is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function ignoring(...codes: string[]) {
  return (error: NodeJS.ErrnoException): undefined => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}

async function* filesBelow(folder: string): AsyncIterable<{ name: string; changedAt: Date }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ignoring('ENOENT'));
  for (const entry of entries ?? []) {
    const found = entry.isFile() ? await stat(path.join(entry.parentPath, entry.name)).catch(ignoring('ENOENT')) : undefined;
    if (found) yield { name: entry.name, changedAt: found.mtime };
  }
}
