import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { CHECKOUT, type Ended, processesIn, runProgram, startProcess, temporaryFolder } from '../../server/test/support/process.ts';
import { packageVersion } from '../package-version.ts';

const INSTALLED_MAX_BYTES = 250_000_000;
/** The oldest Node that the package supports. */
const NODE_PACKAGE = `node-linux-${process.arch}`;
const OLDEST_NODE = '22.19.0';

const run = promisify(execFile);
const read = (...file: string[]) => JSON.parse(readFileSync(path.join(...file), 'utf8'));
const version = packageVersion();
const { packages: locked }: { packages: Record<string, { version: string; dev?: boolean; devOptional?: boolean }> } = read(
  CHECKOUT,
  'package-lock.json',
);
const folder = temporaryFolder();
const home = path.join(folder, 'home');
const packages = path.join(home, 'lib/node_modules');
const installed = path.join(packages, 'waybill');
/** The command as a shell finds it: the link that npm creates, with a Node that is not the checkout's. */
const bin = path.join(home, 'bin/waybill');
const node = path.join(folder, 'node/node_modules', NODE_PACKAGE, 'bin');
const tarballs = ['one', 'two'].map((name) => path.join(folder, name));

beforeAll(async () => {
  for (const into of tarballs) await run('node_modules/.bin/node', ['distribution/pack.ts', into], { cwd: CHECKOUT });
  mkdirSync(home);
  const [first = ''] = tarballs;
  const tarball = path.join(first, `waybill-${version}.tgz`);
  // Install scripts are off, which is the strictest of npm's settings.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await run('npm', ['install', ...options, '--global', '--prefix', home, tarball], { cwd: home });
  await run('npm', ['install', ...options, '--prefix', path.join(folder, 'node'), `${NODE_PACKAGE}@${OLDEST_NODE}`], { cwd: folder });
});

test('the same checkout gives the same bytes', () => {
  const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
  const hashes = tarballs.map((into) => readdirSync(into).map((name) => [name, hashOf(path.join(into, name))]));
  expect(hashes[0]).toHaveLength(2);
  expect(hashes[1]).toEqual(hashes[0]);
});

describe('the package of the service', () => {
  test('has JavaScript, SQL, documentation and pages, and nothing that only its developers need', () => {
    const own = globSync('{*,{server,web,docs,packages}/**/*}', { cwd: installed });
    expect(own.filter((file) => /\.tsx?$|\.test\.|screenshots/.test(file))).toEqual([]);
    for (const needed of ['server/src/main.js', 'server/sql/messages/commit_messages.sql', 'docs/guide.md', 'LICENSE'])
      expect(own).toContain(needed);
    expect(read(installed, 'package.json').engines.node).toBe(`>=${OLDEST_NODE}`);
  });

  test('installs no development package, and takes little space', () => {
    const development = Object.keys(locked).filter((location) => locked[location]?.dev || locked[location]?.devOptional);
    expect(development).toEqual(expect.arrayContaining(['node_modules/vite', 'node_modules/typescript', 'node_modules/eslint']));
    expect(development.filter((location) => existsSync(path.join(installed, location)))).toEqual([]);
    const bytes = Number(execFileSync('du', ['--summarize', '--bytes', packages], { encoding: 'utf8' }).split('\t')[0]);
    expect(bytes).toBeGreaterThan(50_000_000);
    expect(bytes).toBeLessThan(INSTALLED_MAX_BYTES);
  });

  test('contains the versions that the tests of the checkout ran with', () => {
    const manifests = globSync('node_modules/**/package.json', { cwd: installed })
      .map((file) => path.dirname(file))
      .filter((location) => Object.hasOwn(locked, location));
    expect(manifests.length).toBeGreaterThan(100);
    const versionOf = (location: string) => read(installed, location, 'package.json').version;
    expect(manifests.filter((location) => versionOf(location) !== locked[location]?.version)).toEqual([]);
  });

  test('names what it contains, and the licences', () => {
    const bill = read(installed, 'sbom.cdx.json');
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'waybill', version } } });
    const names: string[] = bill.components.map(({ name }: { name: string }) => name);
    for (const name of ['pg', 'fastify', 'react', 'pdfjs-dist', '@fontsource-variable/inter', 'tailwindcss']) expect(names).toContain(name);
    for (const name of ['vite', 'vitest', 'typescript', 'eslint']) expect(names).not.toContain(name);
    const here = readdirSync(path.join(installed, 'node_modules'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^[.@]/.test(entry.name))
      .map(({ name }) => name);
    expect(here.filter((name) => !names.includes(name))).toEqual([]);
    const licences = readFileSync(path.join(installed, 'THIRD-PARTY-LICENCES.txt'), 'utf8');
    for (const name of names) expect(licences).toContain(`${name} `);
    expect(licences).not.toContain('not named');
  });
});

describe('with Node 22', () => {
  const env = { PATH: `${node}:/usr/bin:/bin` };
  const command = (...args: string[]): Promise<Ended> => runProgram('cli', { installed: [bin], checkout: folder, env, args });

  test('the service starts in an empty folder, takes messages, and serves its pages', async () => {
    const working = temporaryFolder();
    const service = await startProcess({ installed: [bin, 'start'], checkout: working, env });
    expect(service.output()).not.toMatch(/Building|Warning/);
    expect(service.output()).toContain(path.join(working, 'data'));
    const sent = await service.api('acme/purchasing').send({ to: 'globex', type: 'order', json: { items: [{ sku: 'A-1' }] } });
    expect(sent.status).toBe(201);
    expect((await service.api('globex/orders').get(`/messages/${sent.body.id}`)).status).toBe(200);
    const page = await fetch(`${service.url}/`, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    const script = /src="(\/[^"]+\.js)"/.exec(await page.text())?.[1];
    expect((await fetch(`${service.url}${script}`)).status).toBe(200);
    for (const address of ['/docs', '/docs/run-it-for-real', '/openapi.json', '/readyz'])
      expect((await fetch(`${service.url}${address}`)).status, address).toBe(200);
    const { code } = await service.stop();
    expect(code).toBe(0);
    expect(processesIn(working)).toEqual([]);
  });

  test('two processes share the port; their worker threads check schemas and hash large values', async () => {
    const service = await startProcess({
      installed: [bin, 'start', '--processes', '2'],
      checkout: folder,
      env: { ...env, DATA_DIR: temporaryFolder() },
    });
    const globex = service.api('globex/orders');
    expect((await globex.write('PUT', '/inbox/schema', { schema: { type: 'object', required: ['total'] } })).status).toBe(200);
    const sent = await service.api('acme/purchasing').send({ to: 'globex', json: { lines: 'x'.repeat(900_000) } });
    expect(sent.status).toBe(201);
    expect(sent.body.validation.status).toBe('failed');
    await service.stop();
  });

  test('a worker thread converts HTML', async () => {
    const module = path.join(installed, 'server/src/platform/mail/html-text/html-text.js');
    const script = `const { HtmlTexts } = await import('${module}'); const texts = new HtmlTexts(); console.log(await texts.textOf('<p>Hello</p>')); await texts.stop();`;
    const { stdout } = await run(path.join(node, 'node'), ['--input-type=module', '-e', script]);
    expect(stdout).toContain('Hello');
  });

  test('without arguments, the command explains itself; operator’s commands work', async () => {
    const help = await command();
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('waybill <command>');
    expect(help.stdout).toContain('Operators also have: start, witness, business');
    const created = await command('business', 'create', 'initech', '--name', 'Initech', '--new', '--json');
    expect(created).toMatchObject({ code: 0, stderr: '', stdout: '{"handle":"initech","display_name":"Initech"}\n' });
  });

  test('users’ commands work, the tools for agents included', async () => {
    expect(await command('whoami')).toMatchObject({ code: 2, stderr: expect.stringContaining('waybill login') });
    expect(await command('mcp')).toMatchObject({ code: 2, stderr: expect.stringContaining('waybill login') });
  });
});

test('the client is a module with types', async () => {
  const project = temporaryFolder();
  const tarball = path.join(tarballs[0] ?? '', `waybill-client-${version}.tgz`);
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', project, tarball], { cwd: project });
  const { stdout } = await run(
    path.join(node, 'node'),
    ['--input-type=module', '-e', "console.log(typeof await import('@waybill/client'))"],
    {
      cwd: project,
    },
  );
  expect(stdout).toBe('object\n');
  expect(readdirSync(path.join(project, 'node_modules'))).toEqual(['.package-lock.json', '@waybill']);
  const required = await run(path.join(node, 'node'), ['-e', "console.log(typeof require('@waybill/client').Waybill)"], { cwd: project });
  expect(required.stdout).toBe('function\n');
  const own = path.join(project, 'node_modules/@waybill/client');
  expect(globSync('dist/**/*.js', { cwd: own }).filter((file) => !existsSync(path.join(own, `${file}.map`)))).toEqual([]);
  expect(readFileSync(path.join(own, 'README.md'), 'utf8')).not.toMatch(/\]\(\.\.?\//);
  // Bundlers leave out what a program does not use.
  expect(read(own, 'package.json').sideEffects).toBe(false);
});

describe('types of the client, with the oldest TypeScript that its README names', () => {
  const project = path.join(folder, 'typed');
  const readme = readFileSync(path.join(CHECKOUT, 'packages/client/README.md'), 'utf8');
  const oldest = /TypeScript (\d+\.\d+) or later/.exec(readme)?.[1];

  beforeAll(async () => {
    mkdirSync(project);
    const tarball = path.join(tarballs[0] ?? '', `waybill-client-${version}.tgz`);
    const compiler = [`typescript@~${oldest}.0`, '@types/node@22'];
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', project, tarball, ...compiler], { cwd: project });
    const use = `import { Waybill, type Message } from '@waybill/client';
import { uploadFile } from '@waybill/client/node';
const waybill = new Waybill({ baseUrl: 'http://127.0.0.1:9', key: 'x' });
export async function typeOf(id: string): Promise<string | null> {
  const message: Message = await waybill.message(id);
  return message.type;
}
export const upload = (path: string) => uploadFile(waybill, path);
`;
    for (const name of ['use.cts', 'use.mts', 'use.ts']) writeFileSync(path.join(project, name), use);
  });

  test.each([
    ['CommonJS of Node', 'node16', 'node16', 'use.cts'],
    ['modules of Node', 'node16', 'node16', 'use.mts'],
    ['CommonJS as before exports', 'commonjs', 'node10', 'use.ts'],
    ['bundlers', 'esnext', 'bundler', 'use.ts'],
  ])('work in %s, libraries checked, too', async (_, module, resolution, file) => {
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', '--types', 'node'];
    const compiler = path.join(project, 'node_modules/.bin/tsc');
    await run(compiler, [...options, '--module', module, '--moduleResolution', resolution, file], { cwd: project });
  });
});
