import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { isUnavailable } from './platform/postgres/database-errors.ts';
import { type Connection, connectionTo, reasonOf } from './platform/postgres/database-hosts.ts';
import { embeddedConnection, isReachable, startEmbeddedPostgres } from './platform/postgres/embedded-postgres.ts';
import { requireSessions } from './platform/postgres/sessions.ts';
import { type DataFolderLock, type Holder, isLock, lockDataFolder } from './platform/processes/data-folder.ts';

interface OpenDatabase {
  connection: Connection;
  direct: Connection;
  close(): Promise<void>;
}

export class DataFolderInUse extends Error {}

/** Thrown because a command in the wrong folder, or without the DATA_DIR of the service, must not use a second, empty database. */
export class NoDataFolder extends Error {}

const PATIENCE_MS = 30_000;
const RETRY_MS = 1_000;
const TELL_EVERY = 5;
/** Enough for the pool, the listeners, and a few of the operator's commands. */
const CONNECTIONS_PER_PROCESS = 24;
const CONNECTIONS_MIN = 100;

interface OpenOptions {
  /** How many processes share the database: one that is started here has enough connections for them. */
  processes?: number;
  mayCreate?: boolean;
}

/** The operator's database, or the one in the data folder, which is started unless a running service has it open. */
export async function openDatabase(
  config: Config,
  holder: Holder,
  log: Logger,
  { processes = 1, mayCreate = true }: OpenOptions = {},
): Promise<OpenDatabase> {
  if (config.databaseUrl !== undefined) return untilReachable(config, log);
  if (process.platform !== 'linux')
    throw new Error('The database that comes along runs on Linux only. Set DATABASE_URL to a PostgreSQL of your own.');
  if (!mayCreate && !existsSync(config.dataDir)) throw noDataFolder(config);
  const lock = await takeLock(config, holder);
  const embedded = embeddedConnection(config.dataDir);
  if (lock === undefined) return { connection: embedded, direct: embedded, close: async () => {} };
  try {
    if (!mayCreate && !existsSync(path.join(config.dataDir, 'postgres'))) throw noDataFolder(config);
    const connections = Math.max(CONNECTIONS_MIN, processes * CONNECTIONS_PER_PROCESS);
    const postgres = await startEmbeddedPostgres(config.dataDir, log, { max_connections: String(connections) });
    const close = async () => {
      await postgres.stop();
      await lock.release();
    };
    return { connection: postgres.connection, direct: postgres.connection, close };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function noDataFolder({ dataDir }: Config): NoDataFolder {
  return new NoDataFolder(`There is no database in ${dataDir}: set DATA_DIR to the data folder of your service, or DATABASE_URL.`);
}

/** Waits for a database that is starting or failing over, but not for one that refuses, such as for its password. */
async function untilReachable({ databaseUrl = '', databaseDirectUrl, databaseStartS }: Config, log: Logger): Promise<OpenDatabase> {
  const giveUpAt = performance.now() + databaseStartS * 1000;
  for (let tries = 0; ; tries++) {
    try {
      return await openGiven(databaseUrl, databaseDirectUrl);
    } catch (error) {
      const leftS = Math.ceil((giveUpAt - performance.now()) / 1000);
      if (leftS <= 0 || !isUnavailable(error)) throw error;
      if (tries % TELL_EVERY === 0) log.warn({ reason: reasonOf(error) }, `waiting for the database, for up to ${leftS} s more`);
      await sleep(RETRY_MS);
    }
  }
}

async function openGiven(url: string, directUrl: string | undefined): Promise<OpenDatabase> {
  const connection = await connectionTo(url);
  const direct = directUrl === undefined ? connection : await connectionTo(directUrl);
  await requireSessions(direct, directUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL');
  return { connection, direct, close: async () => {} };
}

/** Undefined: a command, or one of several processes, can use the database of the running service. */
async function takeLock({ dataDir }: Config, holder: Holder): Promise<DataFolderLock | undefined> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const result = await lockDataFolder(dataDir, holder);
    if (isLock(result)) return result;
    if (result.holder === 'service' && holder === 'service')
      throw new DataFolderInUse(
        `Another Waybill (process ${result.pid}) already uses the data folder ${dataDir}: stop it first, or set DATA_DIR to another folder.`,
      );
    if (result.holder === 'service' && (await isReachable(embeddedConnection(dataDir)))) return undefined;
    // Another command holds the lock for a moment, or a service is still starting.
    if (Date.now() > giveUpAt)
      throw new DataFolderInUse(
        `The ${result.holder} of process ${result.pid} has had the data folder ${dataDir} to itself for long: end it first.`,
      );
    await sleep(100);
  }
}
