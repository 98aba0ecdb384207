import { spawnSync } from 'node:child_process';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from './free-port.ts';
import { killQuietly, processesIn, temporaryFolder, until } from './process.ts';
import { createCluster, handOver, queryAt, startCluster, stopCluster } from './tcp-postgres.ts';

/** A PostgreSQL and a standby of it. */
export interface ReplicatedPostgres {
  /** Names both servers, the standby first. */
  url: string;
  /** Kills the primary with SIGKILL, then promotes the standby. */
  failOver(): Promise<void>;
  /** Stops every process of the primary (SIGSTOP): its connections stay open, and nothing responds. */
  freezePrimary(): void;
  promote(): Promise<void>;
  /** Kills the standby with SIGKILL: commits wait for it from now on. */
  killStandby(): Promise<void>;
  startStandby(): Promise<void>;
  /** The connections of the primary, whatever became of their clients. */
  connections(): Promise<number>;
}

/** By default, the standby confirms each commit. Processes and folders are removed after the test file. */
export async function startReplicatedPostgres({ isSynchronous = true } = {}): Promise<ReplicatedPostgres> {
  const [folder, primaryPort, standbyPort] = [temporaryFolder(), await freePort(), await freePort()];
  const [primary, standby] = [path.join(folder, 'primary'), path.join(folder, 'standby')];
  handOver(folder);
  createCluster(primary);
  const first = await startCluster(primary, primaryPort);
  await queryAt(primaryPort, 'CREATE DATABASE waybill');
  await stopCluster(first);

  spawnSync('cp', ['-a', primary, standby]);
  writeFileSync(path.join(standby, 'standby.signal'), '');
  handOver(path.join(standby, 'standby.signal'));
  appendFileSync(path.join(standby, 'postgresql.auto.conf'), `primary_conninfo = 'host=127.0.0.1 port=${primaryPort} user=waybill'\n`);
  const [second, third] = await Promise.all([
    startCluster(primary, primaryPort, isSynchronous ? { synchronous_standby_names: '*' } : {}),
    startCluster(standby, standbyPort),
  ]);
  const promote = async () => {
    await queryAt(standbyPort, 'SELECT pg_promote()');
  };
  const isConnected = `SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = '${isSynchronous ? 'sync' : 'async'}'`;
  await until(async () => (await queryAt(primaryPort, isConnected)).length === 1);

  return {
    url: `postgres://waybill@127.0.0.1:${standbyPort},127.0.0.1:${primaryPort}/waybill?target_session_attrs=read-write`,
    failOver: async () => {
      second.kill('SIGKILL');
      await promote();
    },
    freezePrimary: () => {
      for (const pid of processesIn(primary)) killQuietly(pid, 'SIGSTOP');
    },
    promote,
    killStandby: async () => {
      third.kill('SIGKILL');
      await until(() => processesIn(standby).length === 0);
    },
    startStandby: async () => {
      rmSync(path.join(standby, 'postmaster.pid'), { force: true });
      await startCluster(standby, standbyPort);
    },
    connections: async () => (await queryAt(primaryPort, `SELECT FROM pg_stat_activity WHERE backend_type = 'client backend'`)).length,
  };
}
