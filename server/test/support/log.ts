import {
  type Checkpoint,
  entryBundlePath,
  leafHash,
  leafOf,
  noteVerifier,
  openNote,
  parseCheckpoint,
  parseEntryBundle,
  parseVkey,
  rootOf,
  TILE_WIDTH,
  tilePath,
  tileWidth,
} from '@waybill/proof';
import { until } from './process.ts';

interface PublishedLog {
  origin: string;
  vkey: string;
  url: string;
  previous_keys?: { vkey: string; succession: string }[];
}

interface WellKnown {
  log: PublishedLog;
  previous_logs: PublishedLog[];
}

export class LogReader {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async wellKnown(): Promise<WellKnown> {
    return (await fetch(`${this.#url}/.well-known/waybill.json`)).json() as Promise<WellKnown>;
  }

  /** Returns the newest checkpoint with a verified signature. Undefined: there is none yet. */
  async checkpoint(below = '/log'): Promise<Checkpoint | undefined> {
    const response = await fetch(`${this.#url}${below}/checkpoint`);
    if (response.status === 404) return undefined;
    const note = await response.text();
    const { log, previous_logs } = await this.wellKnown();
    const checkpoint = parseCheckpoint(note);
    const published = [log, ...previous_logs].find(({ origin }) => origin === checkpoint.origin);
    // Just after a change of keys, the newest checkpoint is still signed by the former key.
    const vkeys = [published?.vkey ?? '', ...(published?.previous_keys ?? []).map(({ vkey }) => vkey)];
    await openNote(note, vkeys.map(parseVkey).map(noteVerifier));
    return checkpoint;
  }

  async tile(level: number, index: number, width: number, below = '/log'): Promise<Uint8Array> {
    return this.#bytes(`${below}/${tilePath(level, index, width)}`);
  }

  /** Returns every leaf of the checkpoint. Entries, tiles and root are compared. */
  async leaves({ size, root }: Checkpoint, below = '/log'): Promise<Uint8Array[]> {
    const leaves: Uint8Array[] = [];
    for (let index = 0; index * TILE_WIDTH < size; index++) {
      const width = tileWidth(0, index, size);
      const entries = parseEntryBundle(await this.#bytes(`${below}/${entryBundlePath(index, width)}`));
      const hashes = Buffer.concat(entries.map((entry) => leafHash(entry)));
      if (!hashes.equals(await this.tile(0, index, width, below)))
        throw new Error(`the entries of tile ${index} are not those of the tree`);
      leaves.push(...entries);
    }
    const ours = await rootOf(size, (...tile) => this.tile(...tile, below));
    if (!Buffer.from(ours).equals(root)) throw new Error('the tiles do not lead to the root of the checkpoint');
    return leaves;
  }

  /** Waits until messages with these content hashes are in a checkpoint. Returns all leaves as hexadecimal digits. */
  async until(contentHashes: readonly string[], below = '/log'): Promise<string[]> {
    const wanted = contentHashes.map((hash) => Buffer.from(leafOf(1, hash)).toString('hex'));
    let found: string[] = [];
    let size = -1;
    await until(async () => {
      const checkpoint = await this.checkpoint(below);
      if (!checkpoint || checkpoint.size === size) return false;
      size = checkpoint.size;
      found = (await this.leaves(checkpoint, below)).map((leaf) => Buffer.from(leaf).toString('hex'));
      const there = new Set(found);
      return wanted.every((leaf) => there.has(leaf));
    });
    return found;
  }

  async #bytes(path: string): Promise<Uint8Array> {
    const response = await fetch(this.#url + path);
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }
}
