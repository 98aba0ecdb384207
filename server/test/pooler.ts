import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { freePort } from './support/free-port.ts';
import { until } from './support/process.ts';
import { account, createCluster, handOver, startCluster, stopCluster } from './support/tcp-postgres.ts';

/**
 * `npm run test:pooler`: tests of the API, with PgBouncer in transaction mode between the service and PostgreSQL. Arguments choose
 * other tests.
 */
const PROGRAM = '/usr/sbin/pgbouncer';
const SUITES = ['pooler', 'send.test', 'idempotency', 'agents-and-keys', 'blocks.test', 'inbox-schema.test', 'events.test']
  .concat([
    'webhook-deliveries',
    'webhook-deletes',
    'webhook-events',
    'webhook-recoveries',
    'webhook-order',
    'consumers.test',
    'consumer-',
    'outgoing-mail',
    'sign-in-code',
    'form-sends',
    'uploads.test',
    'domains.test',
  ])
  .map((name) => `server/test/api/${name}`)
  .concat('server/test/campaigns/polling');

async function startPgBouncer(folder: string, postgresPort: number): Promise<{ url: string; stop(): void }> {
  const port = await freePort();
  const [users, settings] = [path.join(folder, 'users.txt'), path.join(folder, 'pgbouncer.ini')];
  writeFileSync(users, '"waybill" ""\n');
  writeFileSync(
    settings,
    `[databases]
* = host=127.0.0.1 port=${postgresPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = 8
max_client_conn = 2000
max_db_connections = 0
ignore_startup_parameters = extra_float_digits
`,
  );
  // PgBouncer refuses to run as root.
  for (const file of [users, settings]) handOver(file);
  const child = spawn(PROGRAM, ['-q', settings], { stdio: ['ignore', 'inherit', 'inherit'], ...account });
  let isOver = false;
  child.once('close', () => {
    isOver = true;
  });
  const url = `postgres://waybill@127.0.0.1:${port}/postgres`;
  await until(async () => isOver || (await isListening(port)));
  if (isOver) throw new Error('PgBouncer did not start.');
  return { url, stop: () => child.kill('SIGKILL') };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

if (!existsSync(PROGRAM)) {
  console.error('PgBouncer is missing: install it (on Debian: sudo apt-get install pgbouncer) and run this again.');
  process.exit(1);
}
const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-pooler-'));
handOver(folder);
const [cluster, port] = [path.join(folder, 'postgres'), await freePort()];
createCluster(cluster);
const postgres = await startCluster(cluster, port);
const pooler = await startPgBouncer(folder, port);
const vitest = path.resolve(import.meta.dirname, '../../node_modules/.bin/vitest');
const chosen = process.argv.slice(2);
const run = spawn(vitest, ['run', ...(chosen.length > 0 ? chosen : SUITES)], {
  stdio: 'inherit',
  env: { ...process.env, DATABASE_URL: `postgres://waybill@127.0.0.1:${port}/postgres`, POOLER_URL: pooler.url },
});
const code = await new Promise<number | null>((resolve) => run.once('close', resolve));
pooler.stop();
await stopCluster(postgres);
rmSync(folder, { recursive: true, force: true });
process.exit(code ?? 1);
