import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { accountFor, postgresProgram } from '../../src/platform/postgres-program.ts';
import { freePort } from './free-port.ts';
import { temporaryFolder, until } from './process.ts';

/** A PostgreSQL and a standby of it that confirms each commit, both on TCP ports of this machine. */
export interface ReplicatedPostgres {
  /** The standby first. */
  url: string;
  /** Kills the primary -9, then makes the standby the primary. */
  failOver(): Promise<void>;
}

const account = accountFor('/nowhere');
const run = { ...account, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } };

/** Its processes and folders go away with the test file. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const program = path.join(postgresProgram(account), 'bin');
  const [folder, primaryPort, standbyPort] = [temporaryFolder(), await freePort(), await freePort()];
  const [primary, standby] = [path.join(folder, 'primary'), path.join(folder, 'standby')];
  mkdirSync(primary, { mode: 0o700 });
  if (account) for (const one of [folder, primary]) chownSync(one, account.uid, account.gid);
  const { status, stderr } = spawnSync(path.join(program, 'initdb'), ['-D', '.', '-U', 'waybill', '--auth=trust', '--encoding=UTF8'], {
    ...run,
    cwd: primary,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);

  const start = (cwd: string, port: number, ...settings: string[]): ChildProcess => {
    const all = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'max_connections=200', ...settings];
    return spawn(path.join(program, 'postgres'), ['-D', '.', ...all.flatMap((setting) => ['-c', setting])], {
      ...run,
      cwd,
      stdio: 'ignore',
    });
  };
  const first = start(primary, primaryPort);
  await until(() => isUp(primaryPort));
  await query(primaryPort, 'CREATE DATABASE waybill');
  const stopped = new Promise((resolve) => first.once('close', resolve));
  first.kill('SIGINT');
  await stopped;

  spawnSync('cp', ['-a', primary, standby]);
  writeFileSync(path.join(standby, 'standby.signal'), '');
  appendFileSync(path.join(standby, 'postgresql.auto.conf'), `primary_conninfo = 'host=127.0.0.1 port=${primaryPort} user=waybill'\n`);
  if (account) chownSync(path.join(standby, 'standby.signal'), account.uid, account.gid);
  const master = start(primary, primaryPort, 'synchronous_standby_names=*');
  start(standby, standbyPort);
  await until(async () => (await isUp(primaryPort)) && (await isUp(standbyPort)));
  await until(async () => (await query(primaryPort, `SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`)).length === 1);

  return {
    url: `postgres://waybill@127.0.0.1:${standbyPort},127.0.0.1:${primaryPort}/waybill?target_session_attrs=read-write`,
    failOver: async () => {
      master.kill('SIGKILL');
      await query(standbyPort, 'SELECT pg_promote()');
    },
  };
}

const isUp = (port: number): Promise<boolean> =>
  query(port, 'SELECT 1').then(
    () => true,
    () => false,
  );

async function query(port: number, text: string): Promise<unknown[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'waybill', database: 'postgres' });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
