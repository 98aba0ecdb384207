import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../support/api.ts';
import {
  CHECKOUT,
  isRoot,
  nobody,
  postmasterOf,
  processesIn,
  runProgram,
  type ServiceProcess,
  startProcess,
  temporaryFolder,
} from '../support/process.ts';

const own = { uid: process.getuid?.() as number, gid: process.getgid?.() as number };
/** An ordinary user: the account of the tests, or nobody if that is root. */
const ordinary = isRoot ? nobody : own;
/** PostgreSQL refuses to run as root. */
const databaseAccount = isRoot ? nobody : own;

let passwords: string;
beforeAll(() => {
  passwords = readFileSync('/etc/passwd', 'utf8');
});
afterAll(() => {
  expect(readFileSync('/etc/passwd', 'utf8')).toBe(passwords);
});

test('an ordinary user has it with the data folder in the checkout, and PostgreSQL runs under the same account', async () => {
  const checkout = copyOfCheckout();
  chownSync(checkout, ordinary.uid, ordinary.gid);
  const service = await startProcess({ checkout, account: ordinary });
  const dataFolder = path.join(checkout, 'data');
  expect(service.output()).toContain(`${dataFolder}\n`);
  expect(userOf(service.pid)).toBe(ordinary.uid);
  expect(userOf(postmasterOf(dataFolder))).toBe(ordinary.uid);
  await exchangesMessages(service);

  const made = await runProgram('cli', {
    checkout,
    account: ordinary,
    args: ['business', 'create', 'initech', '--name', 'Initech', '--json'],
  });
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(await service.stop()).toMatchObject({ code: 0 });
  expect(processesIn(dataFolder)).toEqual([]);
});

test('a checkout below a folder that nobody else can enter works, and as root PostgreSQL runs without privileges', async () => {
  const checkout = copyOfCheckout();
  chmodSync(path.dirname(checkout), 0o700);
  const service = await startProcess({ checkout });
  const dataFolder = path.join(checkout, 'data');
  const postgres = postmasterOf(dataFolder);
  for (const pid of processesIn(dataFolder)) expect(userOf(pid)).toBe(databaseAccount.uid);
  expect(statSync(path.join(dataFolder, 'postgres'))).toMatchObject({ uid: databaseAccount.uid });
  expect(existsSync(path.join(dataFolder, 'postgres/postmaster.pid'))).toBe(true);
  const key = await exchangesMessages(service);

  // The service also recovers there: the second start finds files of the other account.
  await service.stop('SIGKILL');
  const again = await startProcess({ checkout });
  expect(postmasterOf(dataFolder)).not.toBe(postgres);
  expect((await new Api(again.url, key).get('/inbox')).body.data).toHaveLength(1);
  expect(await again.stop()).toMatchObject({ code: 0 });
});

test('a data folder with a path too long for the address of a socket works', async () => {
  const SOCKET_ADDRESS_MAX_BYTES = 107;
  const dataFolder = path.join(temporaryFolder(), 'a-folder-with-a-long-name'.repeat(4), 'another-folder-with-a-long-name'.repeat(4), 'ä');
  expect(Buffer.byteLength(dataFolder)).toBeGreaterThan(SOCKET_ADDRESS_MAX_BYTES);
  const env = { DATA_DIR: dataFolder };
  const service = await startProcess({ env });
  const key = await exchangesMessages(service);
  const args = ['business', 'create', 'initech', '--name', 'Initech', '--json'];
  expect(await runProgram('cli', { env, args })).toMatchObject({ code: 0, stderr: '' });
  await service.stop();

  expect(await runProgram('cli', { env, args: ['migrate', '--json'] })).toMatchObject({ code: 0, stdout: '{"applied":[]}\n' });
  const again = await startProcess({ env });
  expect((await new Api(again.url, key).get('/inbox')).body.data).toHaveLength(1);
  await again.stop();
});

/** A second checkout. Files are linked where the file system allows it, because copying takes time. */
function copyOfCheckout(): string {
  const home = temporaryFolder();
  chmodSync(home, 0o755);
  const checkout = path.join(home, 'waybill');
  mkdirSync(checkout, { mode: 0o755 });
  const parts = ['package.json', 'package-lock.json', 'server', 'web', 'packages', 'node_modules'].map((name) => path.join(CHECKOUT, name));
  if (spawnSync('cp', ['-al', ...parts, checkout]).status === 0) return checkout;
  rmSync(checkout, { recursive: true });
  mkdirSync(checkout, { mode: 0o755 });
  const { status, stderr } = spawnSync('cp', ['-r', ...parts, checkout], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return checkout;
}

function userOf(pid: number): number {
  return Number(/^Uid:\s+\d+\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

async function exchangesMessages(service: ServiceProcess): Promise<string> {
  const sent = await service.api('acme/purchasing').send({ to: 'globex', json: { a: 1 } });
  expect(sent.status).toBe(201);
  const inbox = await service.api('globex/orders').get('/inbox');
  expect(inbox.body.data).toEqual([sent.body]);
  return service.keys['globex/orders'] as string;
}
