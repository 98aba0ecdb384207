import type { Readable } from 'node:stream';
import { DOWNLOADS_PER_FILE_MAX, IPV6_SITE_FACTOR } from '../../contract/limits.ts';
import { KeyedSlots } from '../../platform/fairness/keyed-slots.ts';
import { networkOf, siteOf } from '../../platform/fairness/network.ts';
import type { FolderStore } from '../../platform/objects/folder-store.ts';
import type { ByteRange } from './byte-range.ts';

/** Limits the downloads that the service serves itself: each holds a file, a connection and buffers for as long as its client reads. */
export class Downloads {
  readonly #perFile = new KeyedSlots(DOWNLOADS_PER_FILE_MAX, 'downloads of one file');
  readonly #perNetwork: KeyedSlots;
  readonly #perSite: KeyedSlots;

  constructor(perNetworkMax: number) {
    this.#perNetwork = new KeyedSlots(perNetworkMax, 'downloads to one address');
    this.#perSite = new KeyedSlots(perNetworkMax * IPV6_SITE_FACTOR, 'downloads to one IPv6 /48');
  }

  async open(store: FolderStore, id: string, address: string, range: ByteRange | undefined): Promise<Readable> {
    const taken: (() => void)[] = [];
    const free = () => {
      for (const give of taken.splice(0)) give();
    };
    try {
      const site = siteOf(address);
      taken.push(this.#perNetwork.take(networkOf(address)));
      if (site !== undefined) taken.push(this.#perSite.take(site));
      taken.push(this.#perFile.take(id));
      return (await store.readRange(id, range)).once('close', free);
    } catch (error) {
      free();
      throw error;
    }
  }
}
