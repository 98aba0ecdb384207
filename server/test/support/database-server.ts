import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../../src/platform/migrations/migrate.ts';
import { nativeSchemaOf } from '../../src/platform/migrations/native-functions.ts';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.ts';
import { Database } from '../../src/platform/postgres/postgres.ts';
import { distribute } from '../../src/platform/shards/distribute.ts';
import { openShards } from '../../src/platform/shards/shards.ts';
import { copyCitusDatabase, createCitusDatabase, dropCitusDatabase, sealCitusDatabase } from './citus.ts';
import { copyKeptCluster } from './kept-cluster.ts';
import { SHARDS } from './sharded.ts';
import { WAITING_WORKERS } from './workers.ts';

export interface DatabaseServer {
  address: ServerAddress;
  close(): Promise<void>;
}

export interface ServerAddress {
  adminUrl: string;
  /** The pooler in front of the server, if the run has one. */
  poolerUrl: string | undefined;
  /** The nodes of Citus, the coordinator first, if the run uses Citus. */
  citusUrls: readonly string[];
  template: string;
}

/** A test file has a service or two with some twenty connections each, and a few have many more. Nothing must survive a power failure. */
export const TEST_SETTINGS = { max_connections: String(300 + 60 * WAITING_WORKERS), fsync: 'off', full_page_writes: 'off' };

const KEPT_TEMPLATE = 'waybill_test_kept';
const log = pino({ level: 'silent' });

/** Uses the nodes of Citus, the server in the URL, or an embedded one with its data in the folder. */
export async function openDatabaseServer(
  givenUrl: string | undefined,
  folder: string,
  citusUrls: readonly string[] = [],
): Promise<DatabaseServer> {
  if (citusUrls[0] !== undefined) return openTemplate(citusUrls[0], async () => {}, citusUrls);
  if (givenUrl !== undefined) return openTemplate(givenUrl, (template) => dropDatabases(givenUrl, template));
  await copyKeptCluster(folder, `${SHARDS}-shards`, createKept);
  const postgres = await startEmbeddedPostgres(folder, log, TEST_SETTINGS);
  return { address: addressOf(urlOf(postgres.connection), KEPT_TEMPLATE), close: () => postgres.stop() };
}

async function createKept(folder: string): Promise<void> {
  const postgres = await startEmbeddedPostgres(folder, log, TEST_SETTINGS);
  const server = await openTemplate(urlOf(postgres.connection), () => postgres.stop(), [], KEPT_TEMPLATE);
  await server.close();
}

function addressOf(adminUrl: string, template: string, citusUrls: readonly string[] = []): ServerAddress {
  return { adminUrl, poolerUrl: process.env['POOLER_URL'], citusUrls, template };
}

async function openTemplate(
  adminUrl: string,
  close: (template: string) => Promise<void>,
  citusUrls: readonly string[] = [],
  template = `waybill_test_${randomBytes(6).toString('hex')}`,
): Promise<DatabaseServer> {
  const database = new Database({ connectionString: databaseUrl(adminUrl, template) }, log);
  try {
    if (citusUrls.length > 0) await createCitusDatabase(citusUrls, template);
    else await command(adminUrl, `CREATE DATABASE ${template} TEMPLATE template0`);
    await migrate(database);
    if (SHARDS > 0) {
      await distribute(database, SHARDS, () => {});
      // Also creates the native functions of Citus nodes, so that copies have them.
      (await openShards(database, { connectionString: databaseUrl(adminUrl, template) }, log))();
      if (process.env['CITUS_MOVED']) await pretendMoved(database);
    }
    await database.close();
    await sealCitusDatabase(citusUrls, template);
    return { address: addressOf(adminUrl, template, citusUrls), close: () => close(template) };
  } catch (error) {
    await database.close();
    await close(template);
    throw error;
  }
}

/** `CITUS_MOVED=1 npm run test:citus`: functions find that their shard has moved, so those in `public` do all the work, through Citus. */
async function pretendMoved(database: Database): Promise<void> {
  for (const [number, shard] of database.shards.entries())
    await shard.queryText(
      `DO $$ BEGIN
         SET LOCAL citus.enable_ddl_propagation = off;
         CREATE OR REPLACE FUNCTION ${nativeSchemaOf(number)}.is_here() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN false; END';
       END $$`,
    );
}

/** Drops the template and its copies. Services that failed to stop may still be connected. */
async function dropDatabases(adminUrl: string, template: string): Promise<void> {
  await withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>('SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)', [
      template,
    ]);
    for (const { name } of rows) await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
  });
}

async function command(adminUrl: string, ...statements: string[]): Promise<void> {
  await withClient(adminUrl, async (client) => {
    for (const text of statements) await client.query(text);
  });
}

async function withClient(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}

export async function copyTemplate({ adminUrl, citusUrls, template }: ServerAddress, isMigrated: boolean): Promise<string> {
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  if (isMigrated && citusUrls.length > 0) {
    await copyCitusDatabase(citusUrls, template, name);
    citusCopies.add(name);
    return databaseUrl(adminUrl, name);
  }
  // One template can't be copied twice at the same moment.
  await command(adminUrl, 'SELECT pg_advisory_lock(1)', `CREATE DATABASE ${name} TEMPLATE ${isMigrated ? template : 'template0'}`);
  return databaseUrl(adminUrl, name);
}

const citusCopies = new Set<string>();

/** Creates a database that is not distributed, on all nodes of Citus if the run uses Citus. A start migrates it. */
export async function createUndistributed({ adminUrl, citusUrls, template }: ServerAddress): Promise<string> {
  if (citusUrls.length === 0) return copyTemplate({ adminUrl, poolerUrl: undefined, citusUrls, template }, false);
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  await createCitusDatabase(citusUrls, name);
  citusCopies.add(name);
  return databaseUrl(adminUrl, name);
}

/** Creates a distributed database from scratch. In a copy, Citus would give a new node the name of the template. */
export async function createDistributed(address: ServerAddress): Promise<string> {
  const url = await createUndistributed(address);
  const database = new Database({ connectionString: url }, log);
  await migrate(database);
  await distribute(database, SHARDS, () => {});
  await database.close();
  return url;
}

/** On Citus, each database has processes on all nodes, so the databases of a test file are dropped with it. */
export async function dropCitusCopies({ citusUrls }: ServerAddress): Promise<void> {
  for (const name of citusCopies) await dropCitusDatabase(citusUrls, name);
  citusCopies.clear();
}

function urlOf({ host, user, database }: pg.ClientConfig): string {
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(String(host))}`;
}

/** The settings with which a service reaches the database: through the pooler, if the run has one. */
export function settingsFor({ poolerUrl }: ServerAddress, url: string): Record<string, string> {
  if (poolerUrl === undefined) return { DATABASE_URL: url };
  return { DATABASE_URL: databaseUrl(poolerUrl, new URL(url).pathname.slice(1)), DATABASE_DIRECT_URL: url };
}

export function databaseUrl(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}
