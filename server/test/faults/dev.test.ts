import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { CHECKOUT, processesIn, temporaryFolder, until } from '../support/process.ts';

const checkout = temporaryFolder();
let dev: ChildProcess;
let printed = '';
let serviceUrl: string;
let pagesUrl: string;

beforeAll(async () => {
  for (const part of ['server', 'web', 'packages', 'docs', 'CHANGELOG.md', 'package.json', 'package-lock.json', 'tsconfig.json'])
    cpSync(path.join(CHECKOUT, part), path.join(checkout, part), { recursive: true });
  symlinkSync(path.join(CHECKOUT, 'node_modules'), path.join(checkout, 'node_modules'));
  const [port, pagesPort] = [await freePort(), await freePort()];
  serviceUrl = `http://127.0.0.1:${port}`;
  pagesUrl = `http://127.0.0.1:${pagesPort}`;
  const env = {
    PATH: process.env['PATH'],
    HOME: checkout,
    DATA_DIR: path.join(checkout, 'data'),
    PORT: `${port}`,
    PAGES_PORT: `${pagesPort}`,
  };
  dev = spawn(process.execPath, ['server/dev.ts'], { cwd: checkout, env, stdio: ['ignore', 'pipe', 'inherit'] });
  dev.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await until(() => printed.includes('Waybill is ready.'));
});
afterAll(() => dev.kill('SIGKILL'));

const starts = () => printed.split('Waybill is ready.').length - 1;

/** Changes a file of the copy as an editor does. */
function edit(file: string, from: string, to: string): void {
  const text = readFileSync(path.join(checkout, file), 'utf8');
  expect(text).toContain(from);
  writeFileSync(path.join(checkout, file), text.replace(from, to));
}

async function textAt(url: string): Promise<string> {
  const response = await fetch(url, { headers: { accept: url.includes('/src/') ? '*/*' : 'text/html' } }).catch(() => undefined);
  return response?.ok ? response.text() : '';
}

test('both addresses are printed, and the pages are served with what hot reload needs', async () => {
  expect(printed).toContain(`Pages    ${pagesUrl}\n`);
  expect(printed).toContain(`Service  ${serviceUrl}\n`);
  for (const page of ['/', '/inbox', '/@acme']) expect(await textAt(`${pagesUrl}${page}`)).toContain('/@vite/client');
  expect(await textAt(`${serviceUrl}/inbox`)).toContain(pagesUrl);
});

test('a change of the service is seen through both addresses', async () => {
  expect(await textAt(`${pagesUrl}/healthz`)).toBe('{"status":"ok"}');
  edit('server/src/modules/operations/routes.ts', "{ status: 'ok' }", "{ status: 'changed' }");
  await until(async () => (await textAt(`${serviceUrl}/healthz`)).includes('changed'));
  expect(await textAt(`${pagesUrl}/healthz`)).toBe('{"status":"changed"}');
  await until(() => starts() === 2);
});

test('a migration that is added is applied', async () => {
  writeFileSync(path.join(checkout, 'server/migrations/9999_first_hour.sql'), 'CREATE TABLE first_hour (id integer);\n');
  await until(() => starts() === 3);
  // The service is not ready while a migration on disk is not in the database.
  await until(async () => (await textAt(`${serviceUrl}/readyz`)).includes('ok'));
});

test('a change of a page is served without a restart', async () => {
  const before = await textAt(`${pagesUrl}/src/main.tsx`);
  expect(before).toContain('createRoot');
  expect(before).not.toContain('first hour');
  edit('web/src/main.tsx', 'applyTheme();', "applyTheme();\ndocument.title = 'first hour';");
  await until(async () => (await textAt(`${pagesUrl}/src/main.tsx`)).includes('first hour'));
});

test('Ctrl-C ends everything', async () => {
  const ended = once(dev, 'exit');
  dev.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(processesIn(checkout)).toEqual([]);
  await expect(fetch(serviceUrl)).rejects.toThrow();
  await expect(fetch(pagesUrl)).rejects.toThrow();
});
