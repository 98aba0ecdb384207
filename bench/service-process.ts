import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { createAgent, createKey } from '../server/src/modules/agents/agents.ts';
import { PartyDirectory } from '../server/src/modules/parties/directory.ts';
import { ChangeFeed } from '../server/src/platform/postgres/change-feed.ts';
import { embeddedConnection } from '../server/src/platform/postgres/embedded-postgres.ts';
import { Database } from '../server/src/platform/postgres/postgres.ts';
import type { Authority } from '../server/test/support/certificates.ts';

const MEMORY_SAMPLE_MS = 200;

/** The service as users run it: a separate process, with its own PostgreSQL and without limits. */
export interface ServiceUnderTest {
  port: number;
  pid: number;
  dataFolder: string;
  connection: pg.ClientConfig;
  sql: pg.Client;
  createBusiness(handle: string): Promise<{ id: bigint; key: string }>;
  takePeakMemoryMb(): number;
  stop(): Promise<void>;
}

export async function startServiceUnderTest(authority: Authority, args: readonly string[] = []): Promise<ServiceUnderTest> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-bench-'));
  const child = spawnService(path.resolve(import.meta.dirname, '..'), folder, authority, args);
  const { port } = await untilReady(child);
  const connection = embeddedConnection(folder);
  const sql = new pg.Client(connection);
  await sql.connect();
  const log = pino({ level: 'silent' });
  const database = new Database(connection, log);
  const parties = new PartyDirectory(database, new ChangeFeed(connection, log));
  let peak = 0;
  const sampler = setInterval(() => {
    peak = Math.max(peak, residentMb(child));
  }, MEMORY_SAMPLE_MS);
  return {
    port,
    pid: child.pid ?? 0,
    dataFolder: folder,
    connection,
    sql,
    createBusiness: async (handle) => {
      const { id } = await parties.create(handle, `The ${handle} company`);
      const agent = await createAgent(database, id, { name: 'Bench' });
      return { id, key: (await createKey(database, id, agent.id, 'read_write')).secret };
    },
    takePeakMemoryMb: () => {
      const taken = Math.max(peak, residentMb(child));
      peak = 0;
      return taken;
    },
    stop: async () => {
      clearInterval(sampler);
      await sql.end();
      await database.close();
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts the service of a checkout, with the flags of its npm start and without limits. Receivers on this machine are allowed. */
export function spawnService(
  checkout: string,
  dataFolder: string,
  authority: Authority,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): ChildProcess {
  const authorityFile = path.join(dataFolder, 'authority.pem');
  writeFileSync(authorityFile, authority.cert);
  const { scripts } = JSON.parse(readFileSync(path.join(checkout, 'package.json'), 'utf8')) as { scripts: { start: string } };
  const flags = scripts.start.split(' ').filter((word) => word.startsWith('--'));
  return spawn(process.execPath, [...flags, 'server/src/main.ts', ...args], {
    cwd: checkout,
    env: {
      ...process.env,
      ...{
        DATA_DIR: dataFolder,
        PORT: '0',
        RATE_LIMIT_PER_MINUTE: '0',
        PUBLIC_RATE_LIMIT_PER_MINUTE: '0',
        MONTHLY_MESSAGE_LIMIT: '0',
        LOG_LEVEL: 'warn',
      },
      ...{ WEBHOOK_PRIVATE_HOSTS: 'localhost', NODE_EXTRA_CA_CERTS: authorityFile },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Resolves once the first start has printed everything: the port, and the keys of the samples by address. */
export function untilReady(child: ChildProcess): Promise<{ port: number; keys: Record<string, string> }> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.once('exit', () => reject(new Error(`the service did not start: ${output}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk;
      const port = /API\s+http:\/\/127\.0\.0\.1:(\d+)\/v1/.exec(output)?.[1];
      const keys = Object.fromEntries([...output.matchAll(/^ {2}(\S+\/\S+) +(wb_\w+)$/gm)].map((match) => [match[1], match[2]]));
      if (port !== undefined && output.includes('head -n 1')) resolve({ port: Number(port), keys });
    });
  });
}

export async function end(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}

function residentMb(child: ChildProcess): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) / 1024;
}
