import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { createAgent, createKey } from '../server/src/modules/agents/agents.ts';
import { PartyDirectory } from '../server/src/modules/parties/directory.ts';
import { ChangeFeed } from '../server/src/platform/change-feed.ts';
import { embeddedConnection } from '../server/src/platform/embedded-postgres.ts';
import { Database } from '../server/src/platform/postgres.ts';
import type { Authority } from '../server/test/support/certificates.ts';

const MEMORY_SAMPLE_MS = 200;

/** The service as users run it: a separate process, with its own PostgreSQL and without limits. */
export interface ServiceUnderTest {
  port: number;
  connection: pg.ClientConfig;
  sql: pg.Client;
  createBusiness(handle: string): Promise<{ id: bigint; key: string }>;
  /** The peak since the last call, in megabytes. */
  takePeakMemoryMb(): number;
  stop(): Promise<void>;
}

/** With the flags of npm start, and without limits. */
export async function startServiceUnderTest(authority: Authority): Promise<ServiceUnderTest> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-bench-'));
  const authorityFile = path.join(folder, 'authority.pem');
  writeFileSync(authorityFile, authority.cert);
  const child = spawn(process.execPath, [...startFlags(), path.resolve(import.meta.dirname, '../server/src/main.ts')], {
    env: {
      ...process.env,
      ...{ DATA_DIR: folder, PORT: '0', RATE_LIMIT_PER_MINUTE: '0', MONTHLY_MESSAGE_LIMIT: '0', LOG_LEVEL: 'warn' },
      ...{ WEBHOOK_PRIVATE_HOSTS: 'localhost', NODE_EXTRA_CA_CERTS: authorityFile },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await portOf(child);
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
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function startFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.once('exit', () => reject(new Error(`the service did not start: ${output}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk;
      const match = /API\s+http:\/\/127\.0\.0\.1:(\d+)\/v1/.exec(output);
      if (match) resolve(Number(match[1]));
    });
  });
}

function residentMb(child: ChildProcess): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) / 1024;
}
