import { statfs } from 'node:fs/promises';
import { Refusal } from '../../contract/errors.ts';
import { makeFolder } from './folder.ts';

const LOOK_EVERY_MS = 1_000;
const RETRY_S = 60;

/** Keeps disk space for messages: files are refused once free space falls below the reserve. */
export class DiskReserve {
  readonly #folder: string;
  readonly #reserveBytes: number;
  #looked: { at: number; free: Promise<number> } | undefined;

  constructor(folder: string, reserveBytes: number) {
    this.#folder = folder;
    this.#reserveBytes = reserveBytes;
  }

  async requireRoom(bytes = 0): Promise<void> {
    if (this.#reserveBytes === 0 || (await this.#free()) >= bytes) return;
    throw new Refusal('unavailable', 'There is too little disk space for files at the moment; messages without files are still accepted.', {
      retryAfterS: RETRY_S,
    });
  }

  #free(): Promise<number> {
    const looked = this.#looked;
    if (looked && Date.now() - looked.at < LOOK_EVERY_MS) return looked.free;
    const free = this.#look();
    this.#looked = { at: Date.now(), free };
    return free;
  }

  async #look(): Promise<number> {
    await makeFolder(this.#folder);
    const { bavail, bsize } = await statfs(this.#folder);
    return bavail * bsize - this.#reserveBytes;
  }
}
