import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../../src/contract/thrown.ts';
import { Api } from '../support/api.ts';
import { processesIn, runProgram, type ServiceProcess, startProcess, temporaryFolder } from '../support/process.ts';

const run = promisify(execFile);

/** Returns no bytes for a file that is gone since the folder was read: checkpoints of the log come and go meanwhile. */
function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

describe('the first start', () => {
  const dataFolder = temporaryFolder();
  const settings = { DATA_DIR: dataFolder, LOG_LEVEL: 'trace' };
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await startProcess({ env: settings });
  });

  test('prints the base address, the documentation address and the data folder', async () => {
    expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(service.output()).toContain(`${service.url}/v1\n`);
    expect(service.output()).toContain(`${service.url}/docs\n`);
    expect(service.output()).toContain(`${dataFolder}\n`);
    const docs = await fetch(`${service.url}/docs`);
    expect(docs.status).toBe(200);
    expect(docs.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await docs.text()).toContain('<a href="/docs/first-message">');
  });

  test('prints a key for each of two agents of acme and globex', async () => {
    const addresses = Object.keys(service.keys);
    expect(addresses.map((address) => address.split('/')[0])).toEqual(['acme', 'acme', 'globex', 'globex']);
    expect(new Set(Object.values(service.keys)).size).toBe(4);
    for (const address of addresses) {
      const me = await service.api(address).get('/me');
      expect(me.status).toBe(200);
      expect(me.body.key.scope).toBe('read_write');
      expect(me.body.addresses).toMatchObject({ handle: address.split('/')[0], segment: address });
    }
  });

  test('prints three curl lines, which send, read and reply when they are pasted', async () => {
    expect(service.curlLines).toHaveLength(3);
    // biome-ignore lint/suspicious/noExplicitAny: responses of different shapes
    const responses: any[] = [];
    for (const line of service.curlLines) responses.push(JSON.parse((await run('bash', ['-c', line])).stdout));
    const [sent, read, replied] = responses;
    expect(sent).toMatchObject({ from: { party: { handle: 'acme' } }, to: { party: { handle: 'globex' } } });
    const { promise, ...message } = sent;
    expect(promise).toMatch(/^waybill-promise\/1\n/);
    expect(read.data).toEqual([message]);
    expect(replied).toMatchObject({ in_reply_to: sent.id, thread_id: sent.thread_id, to: { party: { handle: 'acme' } } });
  });

  test('leaves no key in any file of the data folder, nor in what is logged', () => {
    const lines = service.output().split('\n');
    const logged = lines.filter((line) => line.startsWith('{')).join('\n');
    const files = readdirSync(dataFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.map(({ name }) => name)).toContain('postgres.log');
    const keys = Object.values(service.keys);
    expect(keys.filter((key) => logged.includes(key))).toEqual([]);
    const telling = files.filter((file) => {
      const bytes = bytesOf(path.join(file.parentPath, file.name));
      return keys.some((key) => bytes.includes(key));
    });
    expect(telling).toEqual([]);
  });

  test('has PostgreSQL listen on a socket in the data folder, and on no TCP port', async () => {
    const cluster = path.join(dataFolder, 'postgres');
    expect(statSync(path.join(cluster, '.s.PGSQL.5432')).isSocket()).toBe(true);
    const client = new pg.Client({ host: cluster, user: 'waybill', database: 'waybill' });
    await client.connect();
    const { rows } = await client.query("SELECT current_setting('listen_addresses') AS addresses, inet_server_addr() AS own_address");
    await client.end();
    expect(rows).toEqual([{ addresses: '', own_address: null }]);
  });

  test('is the only one to show keys', async () => {
    expect(await service.stop()).toMatchObject({ code: 0 });
    const again = await startProcess({ env: settings });
    expect(again.output()).not.toContain('wb_');
    expect(again.curlLines).toEqual([]);
    for (const key of Object.values(service.keys)) expect((await new Api(again.url, key).get('/me')).status).toBe(200);
    await again.stop();
  });
});

test('a start that fails is told in one sentence, and with its stack where LOG_LEVEL is debug', async () => {
  const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nowhere', DATABASE_START_S: '0', PORT: '0' };
  const short = await runProgram('main', { env });
  expect(short.code).toBe(1);
  expect(short.stderr).toMatch(/^[^\n]*127\.0\.0\.1:1[^\n]*\n$/);
  const long = await runProgram('main', { env: { ...env, LOG_LEVEL: 'debug' } });
  expect(long.stderr).toContain(short.stderr);
  expect(long.stderr).toMatch(/\n +at .*server\/src\/service\.ts/);
});

test('a port that is taken is told in one sentence, and costs neither the keys nor a PostgreSQL left behind', async () => {
  const dataFolder = temporaryFolder();
  const holder = http.createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  const { port } = holder.address() as { port: number };

  const { code, stderr } = await runProgram('main', { env: { DATA_DIR: dataFolder, PORT: String(port) } });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Port \d+ is taken[^.\n]*\.\n$/);
  expect(stderr).toContain(`${port}`);
  expect(processesIn(dataFolder)).toEqual([]);

  holder.close();
  const service = await startProcess({ env: { DATA_DIR: dataFolder, PORT: String(port) } });
  expect(service.output()).toContain(`http://127.0.0.1:${port}/v1\n`);
  expect(Object.keys(service.keys)).toHaveLength(4);
  await service.stop();
});
