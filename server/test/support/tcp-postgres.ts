import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { accountFor, postgresProgram } from '../../src/platform/postgres/postgres-program.ts';
import { isRoot, until } from './process.ts';

/** PostgreSQL on a TCP port of this machine without authentication, for poolers and standbys. */
export const account = accountFor('/nowhere');
const surroundings = { ...account, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } };
/** The folder with bin, lib and share of PostgreSQL. The default is the packaged one. */
const program = (name: string, folder = postgresProgram(account)) => path.join(folder, 'bin', name);

/** Gives a file or folder to the account that PostgreSQL runs under. */
export function handOver(file: string): void {
  if (isRoot && account) chownSync(file, account.uid, account.gid);
}

export function createCluster(folder: string, programs?: string): void {
  mkdirSync(folder, { mode: 0o700 });
  handOver(folder);
  const options = ['-D', '.', '-U', 'waybill', '--auth=trust', '--encoding=UTF8'];
  const { status, stderr } = spawnSync(program('initdb', programs), options, { ...surroundings, cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

export async function startCluster(
  folder: string,
  port: number,
  settings: Record<string, string> = {},
  programs?: string,
): Promise<ChildProcess> {
  const all = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', max_connections: 500, ...settings };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(program('postgres', programs), ['-D', '.', ...options], { ...surroundings, cwd: folder, stdio: 'ignore' });
  await until(() =>
    queryAt(port, 'SELECT 1').then(
      () => true,
      () => false,
    ),
  );
  return child;
}

export async function stopCluster(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGINT');
  await ended;
}

export async function queryAt(port: number, text: string): Promise<unknown[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'waybill', database: 'postgres' });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
