import { type FileHandle, open, readdir, rm, rmdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../contract/thrown.ts';
import { ignoring, makeFolder, sizeOf } from './folder.ts';

/** Somebody has begun to send the same bytes again, so this writer has ended. */
export class TakenOver extends Error {}

/** How often a writer looks whether it still is the newest. Until it does, it writes in vain. */
const LOOK_EVERY_MS = 1_000;
const LOOK_EVERY_BYTES = 1_048_576;
const BEGIN_TRIES = 100;

export interface AsideOptions {
  isSynced: boolean;
  /** Throws when there is no room for more bytes. */
  requireRoom(): Promise<void>;
}

/**
 * Writes a file and hands it over once it is whole. Each of those that write the same has a number in one folder, in which
 * the highest wins: it takes away the others' files, whichever process they are of, and frees their bytes at once. So a
 * client whose connection broke is never refused, and nothing is on the disk twice. The files of a process that was killed
 * go the same way, or with the clean-up.
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
    // Somebody else has taken the number, or has removed the folder because it was empty.
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

/** Emptied only if its name was still there to be taken away: else its writer has handed it over just now. */
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

/** Looks around as bytes come, and also when none do. */
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
    // Behind what is still waited for, if anything is: so not waited for.
    void iterator.return?.().catch(() => {});
    throw error;
  } finally {
    clearInterval(watch);
  }
}

async function requireNewest(file: FileHandle): Promise<void> {
  if ((await file.stat()).nlink === 0) throw new TakenOver();
}
