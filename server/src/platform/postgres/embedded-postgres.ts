import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
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
 * A real PostgreSQL whose files and socket are in the data folder. Each of its processes has the cluster as its working folder, entered before the
 * switch to the unprivileged account, and calls it /proc/self/cwd. So PostgreSQL runs below folders that this account can't enter, and with paths too
 * long for a socket's address.
 */
export interface EmbeddedPostgres {
  connection: pg.ClientConfig;
  stop(): Promise<void>;
}

const HERE = '/proc/self/cwd';
const USER = 'waybill';
const SOCKET_PATH_MAX_BYTES = 107;
const LOG_MAX_BYTES = 10_000_000;
const SOCKET_NAME = '.s.PGSQL.5432';
const STOP_PATIENCE_MS = 20_000;
/** rmSync stops early when another process deletes a file meanwhile. */
const REMOVAL_TRIES_MAX = 100;

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

function clusterIn(dataFolder: string): string {
  return path.join(dataFolder, 'postgres');
}

export function embeddedConnection(dataFolder: string): pg.ClientConfig {
  return { host: socketFolderOf(clusterIn(dataFolder)), user: USER, database: USER };
}

/** The caller holds the lock of the data folder. `settings` are added to the usual ones. */
export async function startEmbeddedPostgres(
  dataFolder: string,
  log: Logger,
  settings: Record<string, string> = {},
): Promise<EmbeddedPostgres> {
  const cluster = clusterIn(dataFolder);
  const account = accountFor(cluster);
  const program = postgresProgram(account);
  if (existsSync(cluster)) await stopLeftover(cluster, account, log);
  else createCluster(cluster, program, account);
  allowThisUser(cluster, account);

  const connection = embeddedConnection(dataFolder);
  let isStopping = false;
  // The latest process, ready or not, so that `stop` always finds it.
  let postmaster: ChildProcess;
  await launch();

  async function launch(): Promise<void> {
    const child = spawnPostmaster(cluster, program, account, { ...SETTINGS, ...settings });
    postmaster = child;
    await untilReady(child, { ...connection, database: 'postgres' }, cluster);
    child.once('exit', () => {
      if (isStopping) return;
      log.error('PostgreSQL stopped unexpectedly; starting it again');
      void relaunch();
    });
  }

  async function relaunch(): Promise<void> {
    while (!isStopping) {
      await sleep(500);
      try {
        await stopLeftover(cluster, account, log);
        if (!isStopping) await launch();
        return;
      } catch (error) {
        if (!isStopping) log.error(error, 'PostgreSQL could not be started again');
      }
    }
  }

  await createDatabase(connection);
  return {
    connection,
    stop: async () => {
      isStopping = true;
      await endProcess(postmaster);
    },
  };
}

function createCluster(cluster: string, program: string, account: Account): void {
  mkdirSync(path.dirname(cluster), { recursive: true });
  removeUnfinished(cluster);
  const aside = mkdtempSync(`${unfinished(cluster)}-`);
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

function unfinished(cluster: string): string {
  return `${cluster}.new`;
}

function removeUnfinished(cluster: string): void {
  const folder = path.dirname(cluster);
  for (const name of readdirSync(folder)) {
    const left = path.join(folder, name);
    if (left.startsWith(unfinished(cluster)))
      for (let tries = 0; existsSync(left) && tries < REMOVAL_TRIES_MAX; tries++)
        rmSync(left, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Admits only the account of the service, and root, by the socket's peer credentials and without a password. */
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

/** Detached, so that Ctrl-C reaches only the service, which then stops PostgreSQL last. */
function spawnPostmaster(cluster: string, program: string, account: Account, settings: Record<string, string>): ChildProcess {
  const log = openLog(cluster);
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(path.join(program, 'bin/postgres'), ['-D', HERE, ...options], {
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

/** Waits as long as the process lives: recovery after a crash may take long. */
async function untilReady(child: ChildProcess, connection: pg.ClientConfig, cluster: string): Promise<void> {
  for (;;) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`PostgreSQL did not start: ${lastLine(logFileOf(cluster))} (the whole log: ${logFileOf(cluster)})`);
    }
    if (await isReachable(connection)) return;
    await sleep(30);
  }
}

function lastLine(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? 'its log is empty';
}

export async function isReachable(connection: pg.ClientConfig): Promise<boolean> {
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

/**
 * After a SIGKILL of the service, its PostgreSQL may still run. It is stopped and not adopted, because its program files may be gone. The
 * lock files are removed only when no process is left in the cluster: they may name a zombie, or a reused process id, and PostgreSQL would
 * take either for a running server.
 */
async function stopLeftover(cluster: string, account: Account, log: Logger): Promise<void> {
  const pidFile = path.join(cluster, 'postmaster.pid');
  const postmaster = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8').split('\n')[0]) : undefined;
  const giveUpAt = Date.now() + STOP_PATIENCE_MS;
  for (let isFirst = true; ; isFirst = false) {
    const left = processesIn(cluster, account);
    if (left.length === 0) break;
    if (isFirst) log.info(`stopping the PostgreSQL that an earlier run left behind (process ${postmaster})`);
    // The other processes end without their postmaster.
    if (isFirst && postmaster !== undefined && left.includes(postmaster)) signal(postmaster, 'SIGINT');
    if (Date.now() > giveUpAt) for (const pid of left) signal(pid, 'SIGQUIT');
    await sleep(50);
  }
  for (const lock of [pidFile, path.join(cluster, `${SOCKET_NAME}.lock`)]) rmSync(lock, { force: true });
}

/** Runs under the processes' own account: some containers keep even root from reading the working folders of others. */
function processesIn(cluster: string, account: Account): number[] {
  const script = 'for process in /proc/[0-9]*; do [ "$process/cwd" -ef . ] && echo "$process"; done';
  const { pid, stdout } = spawnSync('/bin/sh', ['-c', script], { ...account, cwd: cluster, env: environment(), encoding: 'utf8' });
  return [...stdout.matchAll(/\d+/g)].map(Number).filter((found) => found !== pid);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended meanwhile.
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

/** A path that is too long for a socket's address is replaced by an open descriptor. */
function socketFolderOf(folder: string): string {
  if (Buffer.byteLength(`${folder}/${SOCKET_NAME}`) <= SOCKET_PATH_MAX_BYTES || !existsSync(folder)) return folder;
  return `/proc/self/fd/${openSync(folder, 'r')}`;
}
