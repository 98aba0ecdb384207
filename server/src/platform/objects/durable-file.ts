import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Replaces a file atomically. When the promise resolves, the new contents are on disk. A crash before that leaves the old file or the new
 * one.
 */
export async function writeDurably(file: string, contents: string, mode = 0o644): Promise<void> {
  const temporary = `${file}.${randomUUID()}.new`;
  try {
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(contents);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(path.dirname(file));
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
