import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { type Account, accountFor, postgresProgram } from './postgres-program.ts';

/**
 * A real PostgreSQL whose files and socket are in the data folder. Each of its processes has the cluster as its working
 * folder, entered before the switch to the unprivileged account, and names it /proc/self/cwd: so it works below folders
 * that this account can't enter, and with paths too long for a socket's address.
 */
export interface EmbeddedPostgres {
  connection: pg.ClientConfig;
  stop(): Promise<void>;
}

const HERE = '/proc/self/cwd';
const USER = 'waybill';
const SOCKET_PATH_MAX_BYTES = 107;
const LOG_MAX_BYTES = 10_000_000;
const STOP_PATIENCE_MS = 20_000;

const SETTINGS: Record<string, string> = {
  listen_addresses: '',
  unix_socket_directories: HERE,
  unix_socket_permissions: '0700',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  random_page_cost: '1.1',
  jit: 'off',
  log_checkpoints: 'off',
};

export function clusterIn(dataFolder: string): string {
  return path.join(dataFolder, 'postgres');
}

/** How to reach the PostgreSQL of a data folder, running or not. */
export function embeddedConnection(dataFolder: string): pg.ClientConfig {
  return { host: reachable(clusterIn(dataFolder)), user: USER, database: USER };
}

/** The caller holds the lock of the data folder. */
export async function startEmbeddedPostgres(dataFolder: string, log: Logger): Promise<EmbeddedPostgres> {
  const cluster = clusterIn(dataFolder);
  const account = accountFor(cluster);
  const program = postgresProgram(account);
  await stopLeftover(cluster, log);
  if (!existsSync(cluster)) createCluster(cluster, program, account);
  allowThisUser(cluster, account);

  const connection = embeddedConnection(dataFolder);
  let stopping = false;
  let postmaster = await launch();

  async function launch(): Promise<ChildProcess> {
    const child = spawnPostmaster(cluster, program, account);
    await untilReady(child, { ...connection, database: 'postgres' }, cluster);
    child.once('exit', () => {
      if (stopping) return;
      log.error('PostgreSQL stopped unexpectedly; starting it again');
      void relaunch();
    });
    return child;
  }

  async function relaunch(): Promise<void> {
    while (!stopping) {
      await sleep(500);
      try {
        await stopLeftover(cluster, log);
        if (!stopping) postmaster = await launch();
        return;
      } catch (error) {
        log.error(error, 'PostgreSQL could not be started again');
      }
    }
  }

  await createDatabase(connection);
  return {
    connection,
    stop: async () => {
      stopping = true;
      await endProcess(postmaster);
    },
  };
}

function createCluster(cluster: string, program: string, account: Account): void {
  const aside = `${cluster}.new`;
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  if (account) chownSync(aside, account.uid, account.gid);
  const options = [
    '-D',
    HERE,
    '-U',
    USER,
    '--auth=reject',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ];
  const { status, stderr, error } = spawnSync(path.join(program, 'bin/initdb'), options, {
    ...account,
    cwd: aside,
    env: environment(),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The database can't be created in ${cluster}: ${(stderr || String(error)).trim()}`);
  renameSync(aside, cluster);
}

/** Only the account of the service, and root, who can do anything anyway, get in: by the socket's peer credentials, without a password. */
function allowThisUser(cluster: string, account: Account): void {
  const users = new Set(['root', os.userInfo().username]);
  const files = {
    'pg_hba.conf': `local all ${USER} peer map=service\n`,
    'pg_ident.conf': [...users].map((user) => `service "${user}" ${USER}\n`).join(''),
  };
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(cluster, name);
    writeFileSync(file, text, { mode: 0o600 });
    if (account) chownSync(file, account.uid, account.gid);
  }
}

/** Detached, so that Ctrl-C reaches the service alone, which then stops PostgreSQL last. */
function spawnPostmaster(cluster: string, program: string, account: Account): ChildProcess {
  const log = openLog(cluster);
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(path.join(program, 'bin/postgres'), ['-D', HERE, ...settings], {
    ...account,
    cwd: cluster,
    env: environment(),
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.on('error', () => {});
  child.unref();
  return child;
}

function logFileOf(cluster: string): string {
  return `${cluster}.log`;
}

function openLog(cluster: string): number {
  const file = logFileOf(cluster);
  if (existsSync(file) && statSync(file).size > LOG_MAX_BYTES) renameSync(file, `${file}.old`);
  return openSync(file, 'a', 0o600);
}

function environment(): NodeJS.ProcessEnv {
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/** Recovery after a crash may take long; as long as the process lives, it is waited for. */
async function untilReady(child: ChildProcess, connection: pg.ClientConfig, cluster: string): Promise<void> {
  for (;;) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`PostgreSQL did not start: ${lastLine(logFileOf(cluster))} (the whole log: ${logFileOf(cluster)})`);
    }
    if (await answers(connection)) return;
    await sleep(30);
  }
}

function lastLine(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? 'it left no word';
}

async function answers(connection: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client(connection);
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function createDatabase(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({ ...connection, database: 'postgres' });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [USER]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${USER}`);
  } finally {
    await client.end();
  }
}

/** After a kill -9 of the service its PostgreSQL may still run. Its programs may be gone meanwhile, so it is stopped, not adopted. */
async function stopLeftover(cluster: string, log: Logger): Promise<void> {
  const pidFile = path.join(cluster, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  if (!isAlive(pid)) return;
  if (!isPostmasterOf(pid, cluster)) {
    // The number was given to some other process since; PostgreSQL would take that for a running server.
    rmSync(pidFile);
    return;
  }
  log.info(`stopping the PostgreSQL that an earlier run left behind (process ${pid})`);
  process.kill(pid, 'SIGINT');
  const giveUpAt = Date.now() + STOP_PATIENCE_MS;
  while (isAlive(pid)) {
    if (Date.now() > giveUpAt) process.kill(pid, 'SIGQUIT');
    await sleep(20);
  }
}

function isPostmasterOf(pid: number, cluster: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
  } catch {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres';
  }
}

/** A zombie, which some containers never bury, counts as dead. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
  } catch {
    return false;
  }
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.ref();
  child.kill('SIGINT');
  const impatience = setTimeout(() => child.kill('SIGQUIT'), STOP_PATIENCE_MS);
  await exited;
  clearTimeout(impatience);
}

/** A folder whose path leaves no room for the socket's name is reached through an open descriptor instead. */
function reachable(folder: string): string {
  if (Buffer.byteLength(`${folder}/.s.PGSQL.5432`) <= SOCKET_PATH_MAX_BYTES || !existsSync(folder)) return folder;
  return `/proc/self/fd/${openSync(folder, 'r')}`;
}
