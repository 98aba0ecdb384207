import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** Every file below a folder, by its path from there, sorted. Folders may come and go meanwhile. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
  const found = await Promise.all(
    entries.map(async (entry) => {
      if (!entry.isDirectory()) return entry.isFile() ? [entry.name] : [];
      return (await filesIn(path.join(folder, entry.name))).map((file) => path.join(entry.name, file));
    }),
  );
  return found.flat().toSorted();
}
