import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { cosignatureVerifier, openNote, parseCheckpointBody, type VerifierKey } from '@waybill/proof';
import { messageOf } from '../../contract/thrown.ts';
import { syncFolder, writeDurably } from '../../platform/objects/durable-file.ts';

interface Cosigned {
  origin: string;
  size: number;
  root: Uint8Array;
  note: string;
}

const FILE_NAME = /^[0-9a-f]{64}$/;

/** SHA-256 of the origin in hexadecimal, as in the URL of a log's checkpoint. */
export function originHash(origin: string): string {
  return createHash('sha256').update(origin).digest('hex');
}

/** The whole state of a witness: one file per log, with the newest checkpoint as the witness serves it. */
export class CosignedCheckpoints {
  readonly #folder: string;
  readonly #byOriginHash = new Map<string, Cosigned>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static folderIn(dataFolder: string): string {
    return path.join(dataFolder, 'checkpoints');
  }

  static async create(dataFolder: string): Promise<CosignedCheckpoints> {
    const folder = CosignedCheckpoints.folderIn(dataFolder);
    mkdirSync(folder, { mode: 0o700, recursive: true });
    await syncFolder(dataFolder);
    return CosignedCheckpoints.open(dataFolder, undefined);
  }

  /** Refuses damaged files: a witness that has forgotten a checkpoint could cosign a second history of its log. */
  static async open(dataFolder: string, key: VerifierKey | undefined): Promise<CosignedCheckpoints> {
    const checkpoints = new CosignedCheckpoints(CosignedCheckpoints.folderIn(dataFolder));
    for (const name of readdirSync(checkpoints.#folder)) {
      const file = path.join(checkpoints.#folder, name);
      // Left behind by a process that was killed before it renamed the file, and so before it responded.
      if (name.endsWith('.new')) await rm(file);
      else if (FILE_NAME.test(name)) checkpoints.#byOriginHash.set(name, await readCosigned(file, name, key));
    }
    return checkpoints;
  }

  get count(): number {
    return this.#byOriginHash.size;
  }

  of(hash: string): Cosigned | undefined {
    return this.#byOriginHash.get(hash);
  }

  /** The checkpoint is on the disk when the promise resolves. */
  async record(cosigned: Cosigned): Promise<void> {
    const name = originHash(cosigned.origin);
    await writeDurably(path.join(this.#folder, name), cosigned.note);
    this.#byOriginHash.set(name, cosigned);
  }
}

async function readCosigned(file: string, name: string, key: VerifierKey | undefined): Promise<Cosigned> {
  try {
    if (!key) throw new Error('the witness has no key');
    const note = readFileSync(file, 'utf8');
    const { origin, size, root } = parseCheckpointBody((await openNote(note, [cosignatureVerifier(key)])).body);
    if (originHash(origin) !== name) throw new Error('it is a checkpoint of another log');
    return { origin, size, root, note };
  } catch (error) {
    throw new Error(
      `${file} is not a checkpoint that this witness has cosigned (${messageOf(error)}). Restore the newest copy of the file, or start a new witness in an empty folder.`,
    );
  }
}
