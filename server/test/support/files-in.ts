import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** The log writes its tiles and checkpoints beside the files at any time: below `named`, and in `aside` until they are complete. */
export function isOfLog(file: string): boolean {
  return /(?:^|\/)named(?:[/-]|$)/.test(file);
}

/** Lists every file below a folder except those of the log, by its relative path, sorted. */
export async function filesIn(folder: string): Promise<string[]> {
  return (await allIn(folder)).filter((file) => !isOfLog(file));
}

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
