import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** The log writes its tiles and checkpoints beside the files at any time: below `named`, and in `aside` until they are complete. */
export function isOfLog(file: string): boolean {
  return /(?:^|\/)named(?:[/-]|$)/.test(file);
}

/** Every file below a folder but those of the log, by its path from there, sorted. */
export async function filesIn(folder: string): Promise<string[]> {
  return (await allIn(folder)).filter((file) => !isOfLog(file));
}

/** Folders may come and go meanwhile. */
async function allIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
  const found = await Promise.all(
    entries.map(async (entry) => {
      if (!entry.isDirectory()) return entry.isFile() ? [entry.name] : [];
      return (await allIn(path.join(folder, entry.name))).map((file) => path.join(entry.name, file));
    }),
  );
  return found.flat().toSorted();
}
