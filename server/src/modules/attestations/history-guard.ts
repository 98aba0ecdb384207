import { noteVerifier, openNote, ProofError, parseCheckpointBody, rootOf, type VerifierKey } from '@waybill/proof';
import type { Logger } from 'pino';
import { messageOf } from '../../contract/thrown.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { contradictionOf, recordContradiction } from './attestor-store.ts';
import { cosignedCheckpoint, type WitnessAddress } from './witness-request.ts';
import { idOf, type Witnesses } from './witnesses.ts';

export interface OwnLog {
  number: number;
  origin: string;
  size: number;
  keys: readonly VerifierKey[];
  readTile(level: number, index: number, width: number): Promise<Uint8Array>;
}

/**
 * Finds checkpoints that were signed with the log's own key but are not in its history. Then the database was restored from a backup, or
 * two copies of it sign. A witness can't forge such a checkpoint, because it does not have the key.
 */
export class HistoryGuard {
  readonly #database: Database;
  readonly #witnesses: Witnesses;
  readonly #logger: Logger;
  readonly #asked = new Set<number>();

  constructor(database: Database, witnesses: Witnesses, logger: Logger) {
    this.#database = database;
    this.#witnesses = witnesses;
    this.#logger = logger;
  }

  /** Returns why nothing may be signed, or undefined if nothing is known against it. The first call queries all witnesses. */
  async faultOf(readLog: () => Promise<OwnLog>): Promise<string | undefined> {
    const log = await readLog();
    const known = await contradictionOf(this.#database, log.number);
    if (!known && this.#asked.has(log.number)) return undefined;
    if (!known) {
      const found = await Promise.all(this.#witnesses.addresses.map((witness) => this.#askFirst(witness, readLog)));
      this.#asked.add(log.number);
      if (!found.includes(true)) return undefined;
    }
    const { id, note } = known ?? (await contradictionOf(this.#database, log.number)) ?? { id: '', note: '' };
    const name = this.#witnesses.addresses.find((witness) => idOf(witness) === id)?.name ?? id;
    return `The witness ${name} has a checkpoint of ${log.origin} with ${note.split('\n')[1]} leaves that was signed with this log’s key and is not of this database: the database and the files are older than what was published, or a copy. Restore the newest backup, or start a new log with the command: waybill log new`;
  }

  async ask(witness: WitnessAddress, readLog: () => Promise<OwnLog>, signal: AbortSignal): Promise<boolean> {
    const { origin } = await readLog();
    const note = await cosignedCheckpoint(witness, origin, signal);
    // The log is read after the response, because it may have grown meanwhile.
    const log = await readLog();
    if (note === undefined || !(await isContradiction(note, log))) return false;
    await recordContradiction(this.#database, idOf(witness), note, log.number);
    return true;
  }

  async #askFirst(witness: WitnessAddress, readLog: () => Promise<OwnLog>): Promise<boolean> {
    try {
      return await this.ask(witness, readLog, new AbortController().signal);
    } catch (error) {
      this.#logger.warn(
        { witness: witness.name, reason: messageOf(error) },
        'a witness could not be asked whether the log is what it has seen',
      );
      return false;
    }
  }
}

async function isContradiction(note: string, { origin, size, keys, readTile }: OwnLog): Promise<boolean> {
  try {
    const checkpoint = parseCheckpointBody((await openNote(note, keys.map(noteVerifier))).body);
    if (checkpoint.origin !== origin) return false;
    return checkpoint.size > size || !Buffer.from(await rootOf(checkpoint.size, readTile)).equals(checkpoint.root);
  } catch (error) {
    // The checkpoint is not signed with the log's key, so it proves nothing.
    if (error instanceof ProofError) return false;
    throw error;
  }
}
