import { mkdir, open, readdir, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { safeName } from './named-objects.ts';

export const CHUNK_BYTES = 256 * 1024;

export class WrongSize extends Error {}

/** The layout of a folder store. `aside` has the files being written. */
export class Folder {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** The path has 256 folders, by the last digits of the id, which are random. */
  file(kind: 'objects' | 'uploads' | 'parts', id: string): string {
    if (!/^[0-9a-f-]{36}$/.test(id)) throw new Error('not the id of an object');
    return path.join(this.#root, kind, id.slice(-2), id);
  }

  named(name: string): string {
    return path.join(this.#root, 'named', safeName(name));
  }

  aside(name: string): string {
    return path.join(this.#root, 'aside', name);
  }

  async *list(changedBefore: Date): AsyncIterable<string> {
    await this.#removeAbandoned(changedBefore);
    for (const kind of ['uploads', 'parts', 'objects'])
      for await (const { name, changedAt } of filesBelow(path.join(this.#root, kind))) if (changedAt < changedBefore) yield name;
  }

  async #removeAbandoned(changedBefore: Date): Promise<void> {
    for await (const { file, changedAt } of filesBelow(path.join(this.#root, 'aside'))) {
      if (changedAt >= changedBefore) continue;
      await rm(file, { force: true });
      await rmdir(path.dirname(file)).catch(ignoring('ENOENT', 'ENOTEMPTY', 'EEXIST'));
    }
  }
}

export async function* exactly(bytes: AsyncIterable<Buffer>, sizeBytes: number): AsyncGenerator<Buffer> {
  let received = 0;
  for await (const chunk of bytes) {
    received += chunk.length;
    if (received > sizeBytes) throw new WrongSize();
    yield chunk;
  }
  if (received !== sizeBytes) throw new WrongSize();
}

/** The folder is readable by the service's account only. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

export async function sizeOf(file: string): Promise<number | undefined> {
  const found = await stat(file).catch(ignoring('ENOENT'));
  return found?.size;
}

/** A new name is durable only once its folder is synced. */
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

/** Reads one folder after the other, so that a folder that is removed meanwhile does not affect the rest. */
async function* filesBelow(folder: string): AsyncIterable<{ name: string; file: string; changedAt: Date }> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(ignoring('ENOENT'));
  for (const entry of entries ?? []) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(file);
    const found = entry.isFile() ? await stat(file).catch(ignoring('ENOENT')) : undefined;
    if (found) yield { name: entry.name, file, changedAt: found.mtime };
  }
}
