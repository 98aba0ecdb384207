import { type ChildProcess, spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { createCluster, startCluster, stopCluster } from './tcp-postgres.ts';

export interface CitusNodes {
  urls: string[];
  pids: number[];
  stop(): Promise<void>;
}

const WORKERS = 2;
const SETTINGS = {
  shared_preload_libraries: 'citus',
  // Citus moves a shard by logical replication.
  wal_level: 'logical',
  jit: 'off',
  max_connections: '1500',
  max_prepared_transactions: '1500',
  // Each database with Citus needs one.
  max_worker_processes: '400',
  'citus.enable_statistics_collection': 'off',
  'citus.max_cached_conns_per_worker': '4',
};

/** The newest packaged PostgreSQL that has Citus, or undefined. */
export function programsWithCitus(): string | undefined {
  return globSync('/usr/lib/postgresql/*/lib/citus.so')
    .map((file) => path.resolve(file, '../..'))
    .sort((a, b) => Number(path.basename(b)) - Number(path.basename(a)))[0];
}

/** Builds Citus from its sources for the newest packaged PostgreSQL, and installs it there. */
export function buildCitus(source: string): void {
  const config = globSync('/usr/lib/postgresql/*/bin/pg_config').sort().at(-1);
  if (config === undefined) throw new Error('There is no PostgreSQL to build Citus for: install postgresql and postgresql-server-dev.');
  const steps = existsSync(path.join(source, 'Makefile.global')) ? [] : [['./configure', '--without-libcurl', `PG_CONFIG=${config}`]];
  for (const [command = '', ...args] of [...steps, ['make', '-j2', 'with_llvm=no'], ['make', 'install', 'with_llvm=no']]) {
    const { status } = spawnSync(command, args, { cwd: source, stdio: 'inherit' });
    if (status !== 0) throw new Error(`Citus could not be built: ${command} failed in ${source}.`);
  }
}

export async function startCitus(folder: string, programs: string, settings: Record<string, string> = {}): Promise<CitusNodes> {
  const nodes: CitusNode[] = [];
  for (let number = 0; number <= WORKERS; number++) nodes.push(await startNode(path.join(folder, `node-${number}`), programs, settings));
  return {
    urls: nodes.map(({ url }) => url),
    pids: nodes.map(({ child }) => child.pid ?? 0),
    stop: async () => {
      for (const { child } of nodes) await stopCluster(child);
    },
  };
}

interface CitusNode {
  url: string;
  child: ChildProcess;
}

/** Starts a node that no other node knows. */
export async function startNode(cluster: string, programs: string, settings: Record<string, string> = {}): Promise<CitusNode> {
  const port = await freePort();
  createCluster(cluster, programs);
  const child = await startCluster(cluster, port, { ...SETTINGS, ...settings }, programs);
  return { url: `postgres://waybill@127.0.0.1:${port}/postgres`, child };
}

/** Creates a database on the node, so that others can add the node to theirs of the same name. */
export async function createCitusDatabaseOn(url: string, name: string): Promise<void> {
  await command(url, `CREATE DATABASE ${name} TEMPLATE template0`);
  await command(inDatabase(url, name), 'CREATE EXTENSION citus');
}

/** Creates an empty database on all nodes that knows these nodes. */
export async function createCitusDatabase(urls: readonly string[], name: string): Promise<void> {
  for (const url of urls) await createCitusDatabaseOn(url, name);
  const [coordinator = '', ...workers] = urls;
  const addNodes = workers.map((url) => `SELECT citus_add_node('127.0.0.1', ${new URL(url).port})`);
  await command(inDatabase(coordinator, name), `SELECT citus_set_coordinator_host('127.0.0.1', ${new URL(coordinator).port})`, ...addNodes);
}

/** Makes the database a template on all nodes: from now on nobody is connected to it, not even Citus. */
export async function sealCitusDatabase(urls: readonly string[], name: string): Promise<void> {
  for (const url of urls)
    await command(
      url,
      `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
}

/** Citus stores its metadata about nodes and shards in the database, so a copy of it on each node is distributed as well. */
export async function copyCitusDatabase(urls: readonly string[], template: string, name: string): Promise<void> {
  for (const url of urls) await command(url, 'SELECT pg_advisory_lock(1)', `CREATE DATABASE ${name} TEMPLATE ${template}`);
}

export async function dropCitusDatabase(urls: readonly string[], name: string): Promise<void> {
  for (const url of urls) await command(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

function inDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

async function command(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const text of statements) await client.query(text);
  } finally {
    await client.end();
  }
}
