import type { Readable } from 'node:stream';
import { DOWNLOADS_PER_FILE_MAX } from '../../contract/limits.ts';
import { KeyedSlots } from '../../platform/keyed-slots.ts';
import type { FolderStore } from '../../platform/objects/folder-store.ts';
import type { ByteRange } from './byte-range.ts';

/** Limits downloads that the service serves itself. Each holds a file, a connection and buffers for as long as its client reads. */
export class Downloads {
  readonly #perFile = new KeyedSlots(DOWNLOADS_PER_FILE_MAX, 'downloads of one file');
  readonly #perAddress: KeyedSlots;

  constructor(perAddressMax: number) {
    this.#perAddress = new KeyedSlots(perAddressMax, 'downloads to one address');
  }

  async open(store: FolderStore, id: string, address: string, range: ByteRange | undefined): Promise<Readable> {
    const freeAddress = this.#perAddress.take(address);
    let freeFile = () => {};
    const free = () => {
      freeFile();
      freeAddress();
    };
    try {
      freeFile = this.#perFile.take(id);
      return (await store.readRange(id, range)).once('close', free);
    } catch (error) {
      free();
      throw error;
    }
  }
}
