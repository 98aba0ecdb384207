import { checkpointBody, noteVerifier, openNote, ProofError, parseCheckpoint, rootOf, signNote } from '@waybill/proof';
import { sha256 } from '../../contract/sha256.ts';
import type { NamedObjects } from '../../platform/objects/named-objects.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { newestCheckpoint, recordCheckpoint } from './checkpoint-store.ts';
import { LogFault } from './log-fault.ts';
import type { LogKeys } from './log-keys.ts';
import { commitLater, type LogRecord } from './log-store.ts';
import { isOnStandby } from './standby.ts';
import type { Tiles } from './tiles.ts';

interface Published {
  size: number;
  version: string | undefined;
}

export interface PublicationServices {
  database: Database;
  objects: NamedObjects;
  tiles: Tiles;
  keys: LogKeys;
  /** Returns why the log may not sign: witnesses have a checkpoint that this log has signed and does not have. */
  faultSeenBy?: ((log: number) => Promise<string | undefined>) | undefined;
  /** A standby must have the data before it is published. */
  waitsForStandby?: boolean;
}

const NEW_LOG = 'or start a new log with the command: waybill log new';

/**
 * Compares the log in the database with the last published checkpoint, which is kept in the object store. Throws LogFault unless the log
 * has grown from it. Returns undefined if nothing was published yet.
 */
export async function verifyPublished(parts: PublicationServices, log: LogRecord): Promise<Published | undefined> {
  const { database, objects, tiles, keys } = parts;
  const head = await objects.readHead(headOf(log));
  const recorded = await newestCheckpoint(database, log.number, -1);
  if (!head) {
    if (!recorded) return undefined;
    throw new LogFault(
      `The object store has lost the checkpoint of ${log.origin} that was published last: bring its objects below named/log/ back, ${NEW_LOG}`,
    );
  }
  const note = head.bytes.toString('utf8');
  const { size, root } = await openHead(note, log, keys, database);
  if (size > log.size)
    throw new LogFault(
      `A checkpoint of ${log.origin} with ${size} leaves was published, but the database has ${log.size}: it is older. Restore a newer backup, ${NEW_LOG}`,
    );
  const ours = size === log.size ? log.root : await rootOf(size, (...tile) => tiles.read(log.number, ...tile), sha256);
  if (!Buffer.from(root).equals(ours))
    throw new LogFault(
      `The published checkpoint of ${log.origin} with ${size} leaves has another root than the database: they have different histories. Restore the right backup, ${NEW_LOG}`,
    );
  // A process that was killed after publishing has not recorded the checkpoint.
  if (!recorded || recorded.size < size) await recordCheckpoint(database, log.number, size, note);
  return { size, version: head.version };
}

async function openHead(note: string, log: LogRecord, keys: LogKeys, database: Database): Promise<{ size: number; root: Uint8Array }> {
  try {
    await openNote(note, (await keys.verifiersOf(database, log)).map(noteVerifier));
    const checkpoint = parseCheckpoint(note);
    if (checkpoint.origin === log.origin) return checkpoint;
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
  }
  throw new LogFault(
    `The checkpoint in the object store is not of the log ${log.origin}: it belongs to another database. Use an object store of this service, ${NEW_LOG}`,
  );
}

/**
 * Signs and publishes the log's present state. Returns false if another process has done so, or a standby is behind: a later round
 * continues.
 */
export async function publish(parts: PublicationServices, log: LogRecord, before: Published | undefined): Promise<boolean> {
  const { database, objects, keys, waitsForStandby } = parts;
  if (before?.size === log.size) return true;
  if (waitsForStandby && !(await isOnStandby(database))) return false;
  const note = await signNote(checkpointBody(log), await keys.signersOf(database, log));
  if (!(await objects.replaceHead(headOf(log), Buffer.from(note), before?.version))) return false;
  await database.transaction(async (tx) => {
    // If the record is lost, verifyPublished finds the checkpoint in the object store.
    await commitLater(tx);
    await recordCheckpoint(tx, log.number, log.size, note);
  });
  return true;
}

function headOf({ number }: Pick<LogRecord, 'number'>): string {
  return `log/${number}/checkpoint`;
}

export async function readPublished(objects: NamedObjects, number: number): Promise<string | undefined> {
  return (await objects.readHead(headOf({ number })))?.bytes.toString('utf8');
}
