import { type FileHandle, open, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../contract/thrown.ts';
import { ignoring, makeFolder, sizeOf } from './folder.ts';

/** Thrown when a newer request sends the same bytes. */
export class TakenOver extends Error {}

/** The interval at which a writer checks that it is still the newest. */
const LOOK_EVERY_MS = 1_000;
const LOOK_EVERY_BYTES = 1_048_576;
const BEGIN_TRIES = 100;

interface AsideOptions {
  isSynced: boolean;
  requireRoom(): Promise<void>;
}

/**
 * Writes a file and passes it to `use` once it is complete. Concurrent writers of the same bytes have numbers in one folder. The highest wins and
 * removes the files of the others, of any process, which frees their space at once. So a client whose connection broke is never refused, and nothing
 * is stored twice. Files of a killed process are removed in the same way, or by the clean-up.
 */
export async function writeNewest(
  folder: string,
  bytes: AsyncIterable<Buffer>,
  { isSynced, requireRoom }: AsideOptions,
  use: (aside: string) => Promise<void>,
): Promise<void> {
  const { file, aside } = await begin(folder);
  try {
    try {
      await fill(file, bytes, requireRoom);
      if (isSynced) await file.sync();
    } finally {
      await file.close();
    }
    await use(aside);
  } catch (error) {
    throw codeOf(error) === 'ENOENT' && (await sizeOf(aside)) === undefined ? new TakenOver() : error;
  } finally {
    await rm(aside, { force: true });
    await rmdir(folder).catch(ignoring('ENOENT', 'ENOTEMPTY', 'EEXIST'));
  }
}

async function begin(folder: string): Promise<{ file: FileHandle; aside: string }> {
  for (let tries = 0; tries < BEGIN_TRIES; tries++) {
    await makeFolder(folder);
    const number = Math.max(0, ...(await numbersIn(folder))) + 1;
    const aside = path.join(folder, String(number));
    // Another writer has taken the number, or removed the empty folder.
    const file = await open(aside, 'wx', 0o600).catch(ignoring('EEXIST', 'ENOENT'));
    if (!file) continue;
    const others = await numbersIn(folder);
    for (const older of others.filter((other) => other < number)) await end(path.join(folder, String(older)));
    if (others.every((other) => other <= number)) return { file, aside };
    await file.close();
    await rm(aside, { force: true });
    break;
  }
  throw new TakenOver();
}

async function numbersIn(folder: string): Promise<number[]> {
  return ((await readdir(folder).catch(ignoring('ENOENT'))) ?? []).map(Number);
}

/** Truncates the file only if its name could be removed: otherwise its writer has just passed it on. */
async function end(aside: string): Promise<void> {
  const file = await open(aside, 'r+').catch(ignoring('ENOENT'));
  if (!file) return;
  try {
    const isEnded = await unlink(aside).then(() => true, ignoring('ENOENT'));
    if (isEnded) await file.truncate(0);
  } finally {
    await file.close();
  }
}

/** Checks for a newer writer as bytes come, and also when none do. */
async function fill(file: FileHandle, bytes: AsyncIterable<Buffer>, requireRoom: () => Promise<void>): Promise<void> {
  const iterator = bytes[Symbol.asyncIterator]();
  let cut: (error: unknown) => void = () => {};
  const next = () =>
    new Promise<IteratorResult<Buffer>>((resolve, reject) => {
      cut = reject;
      iterator.next().then(resolve, reject);
    });
  const watch = setInterval(() => void requireNewest(file).catch((error) => cut(error)), LOOK_EVERY_MS);
  let unseen = 0;
  try {
    await requireRoom();
    for (let chunk = await next(); chunk.done !== true; chunk = await next()) {
      for (let done = 0; done < chunk.value.length; ) done += (await file.write(chunk.value, done)).bytesWritten;
      unseen += chunk.value.length;
      if (unseen < LOOK_EVERY_BYTES) continue;
      unseen = 0;
      await requireNewest(file);
      await requireRoom();
    }
    await requireNewest(file);
  } catch (error) {
    // Not awaited, because `return` waits for a `next` that may never settle.
    void iterator.return?.().catch(() => {});
    throw error;
  } finally {
    clearInterval(watch);
  }
}

async function requireNewest(file: FileHandle): Promise<void> {
  if ((await file.stat()).nlink === 0) throw new TakenOver();
}
