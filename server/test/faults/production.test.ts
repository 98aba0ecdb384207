import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { builtPages } from '../../src/platform/processes/web-build.ts';
import { CHECKOUT, startProcess, temporaryFolder } from '../support/process.ts';

interface Locked {
  dev?: boolean;
}

/** Links the packages of `npm ci --omit=dev`, and Node itself. */
function installProduction(checkout: string): void {
  const { packages } = JSON.parse(readFileSync(path.join(CHECKOUT, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> };
  const wanted = Object.entries(packages)
    .filter(([location, { dev }]) => location !== '' && dev !== true && !location.includes('/node_modules/'))
    .map(([location]) => location)
    .filter((location) => existsSync(path.join(CHECKOUT, location)));
  for (const location of wanted) {
    mkdirSync(path.join(checkout, path.dirname(location)), { recursive: true });
    execFileSync('cp', ['-al', path.join(CHECKOUT, location), path.join(checkout, location)]);
  }
  mkdirSync(path.join(checkout, 'node_modules/.bin'), { recursive: true });
  execFileSync('ln', ['-s', process.execPath, path.join(checkout, 'node_modules/.bin/node')]);
}

test('without development packages the service starts once its pages are built, and serves them', async () => {
  await builtPages(() => {});
  const checkout = temporaryFolder();
  for (const part of ['server/src', 'server/migrations', 'server/sql', 'docs', 'CHANGELOG.md', 'web', 'package.json', 'package-lock.json'])
    cpSync(path.join(CHECKOUT, part), path.join(checkout, part), { recursive: true });
  installProduction(checkout);
  expect(existsSync(path.join(checkout, 'node_modules/@tailwindcss'))).toBe(false);
  const service = await startProcess({ checkout, env: { DATA_DIR: path.join(checkout, 'data') } });
  expect(service.output()).not.toContain('Building');
  const page = await fetch(`${service.url}/`, { headers: { accept: 'text/html' } });
  expect(page.status).toBe(200);
  const script = /src="(\/[^"]+\.js)"/.exec(await page.text())?.[1];
  expect((await fetch(`${service.url}${script}`)).status).toBe(200);
  expect((await fetch(`${service.url}/docs`)).status).toBe(200);
  const sent = await service.api('acme/purchasing').send({ to: 'globex', note: 'Hello' });
  expect(sent.status).toBe(201);
  await service.stop();
});
