import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../checkout.ts';

const VERSION = '99.0.0';
const IN_FILES = [
  'package.json',
  'packages/*/package.json',
  'package-lock.json',
  'distribution/compose.yaml',
  'distribution/kubernetes/*.yaml',
];

let clone: string;
beforeAll(() => {
  clone = path.join(mkdtempSync(path.join(os.tmpdir(), 'waybill-release-')), 'waybill');
  execFileSync('git', ['-c', 'safe.directory=*', 'clone', '--quiet', ROOT, clone]);
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(clone, 'node_modules'));
  // .gitignore names a folder, but node_modules is a link here.
  writeFileSync(path.join(clone, '.git/info/exclude'), 'node_modules\n');
});
afterAll(() => rmSync(path.dirname(clone), { recursive: true, force: true }));

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Release', '-c', 'user.email=release@waybill.test', ...args], { cwd: clone, encoding: 'utf8' });

function release(): { status: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, GIT_COMMITTER_NAME: 'Release', GIT_COMMITTER_EMAIL: 'release@waybill.test' };
  return spawnSync(process.execPath, ['distribution/release.ts'], { cwd: clone, encoding: 'utf8', env });
}

/** The version that packages of these sources would have. */
function packageVersion(sources = clone): string {
  const script = "import('./distribution/package-version.ts').then(({ packageVersion }) => process.stdout.write(packageVersion()))";
  return execFileSync(process.execPath, ['--eval', script], { cwd: sources, encoding: 'utf8' });
}

/** The tarballs of the clone, sorted by name. */
function pack(name: string): { name: string; sha256: string; version: string }[] {
  const into = path.join(path.dirname(clone), name);
  execFileSync(process.execPath, ['distribution/pack.ts', into], { cwd: clone });
  return readdirSync(into)
    .toSorted()
    .map((tarball) => {
      const file = path.join(into, tarball);
      const manifest = execFileSync('tar', ['--extract', '--to-stdout', '--file', file, 'package/package.json'], { encoding: 'utf8' });
      return {
        name: tarball,
        sha256: createHash('sha256').update(readFileSync(file)).digest('hex'),
        version: JSON.parse(manifest).version,
      };
    });
}

function change(file: string, edit: (text: string) => string): void {
  writeFileSync(path.join(clone, file), edit(readFileSync(path.join(clone, file), 'utf8')));
}

test('a commit that is no release is not tagged, and every reason is named', () => {
  change('package.json', (text) => text.replace(/"version": ".*"/, '"version": "99.0.0-dev"').replace(/"fastify": "/, '"fastify": "^'));
  change('CHANGELOG.md', (text) => text.replace(/^## .*$/m, '## Unreleased'));
  const { status, stderr } = release();
  expect(status).toBe(1);
  expect(stderr).toContain('Changes are not committed.');
  expect(stderr).toContain('99.0.0-dev is not the version of a release.');
  expect(stderr).toContain('packages/client/package.json has another version than 99.0.0-dev.');
  expect(stderr).toContain('CHANGELOG.md begins with "Unreleased" and not with "99.0.0-dev (<date>)".');
  expect(stderr).toMatch(/fastify \^\S+, which is not exact/);
  expect(git('tag', '--list', 'v99*')).toBe('');
  git('checkout', '--quiet', '.');
});

test('a release is packed, and gets an annotated tag with its changes', () => {
  const { version } = JSON.parse(readFileSync(path.join(clone, 'package.json'), 'utf8'));
  const files = git('ls-files', ...IN_FILES)
    .trim()
    .split('\n');
  // Only where it is the version of Waybill: packages of others in the lock file can have the same one.
  const own = new RegExp(
    `(?<="name": "(waybill|@waybill/\\w+)",\\s+"version": "|"@waybill/\\w+": "|waybill:|newTag: )${RegExp.escape(version)}\\b`,
    'g',
  );
  for (const file of files) change(file, (text) => text.replace(own, VERSION));
  change('clients/python/src/waybill/steps.py', (text) => text.replace(/^VERSION = .*$/m, `VERSION = "${VERSION}"`));
  change('CHANGELOG.md', (text) => text.replace(/^## .*$/m, `## ${VERSION} (2026-11-18)`));
  git('commit', '--quiet', '--all', '--message', `release: ${VERSION}`);
  const { status, stdout, stderr } = release();
  expect(status, stderr).toBe(0);
  expect(stdout).toContain(`waybill-${VERSION}.tgz`);
  expect(stdout).not.toMatch(/\b0(\.0)? MB/);
  expect(git('cat-file', '-t', `v${VERSION}`).trim()).toBe('tag');
  const message = git('tag', '--list', '--format=%(contents)', `v${VERSION}`);
  expect(message).toContain(`Waybill ${VERSION}`);
  expect(message.match(/^### .*$/gm)).toEqual(['### Added', '### Changed', '### Fixed', '### Security']);
  expect(git('rev-parse', `v${VERSION}^{commit}`)).toBe(git('rev-parse', 'HEAD'));
  // A second time, there is nothing to do.
  const again = release();
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining(`The tag v${VERSION} exists.`)]);
});

test('only the commit of the release bears its version: packages of a later one have its hash, and always the same bytes', () => {
  expect(packageVersion()).toBe(VERSION);
  git('commit', '--quiet', '--allow-empty', '--message', 'more');
  const version = `${VERSION}-dev.g${git('rev-parse', '--short=10', 'HEAD').trim()}`;
  const packed = pack('one');
  expect(packed).toMatchObject([
    { name: `waybill-${version}.tgz`, version },
    { name: `waybill-client-${version}.tgz`, version },
  ]);
  expect(pack('two')).toEqual(packed);
});

test('a version that says -dev by itself stays, and so does that of sources without git', () => {
  change('package.json', (text) => text.replace(`"version": "${VERSION}"`, '"version": "99.1.0-dev"'));
  expect(packageVersion()).toBe('99.1.0-dev');
  git('checkout', '--quiet', '.');
  const sources = path.join(path.dirname(clone), 'sources');
  mkdirSync(sources);
  const archive = path.join(path.dirname(clone), 'sources.tar');
  git('archive', '--output', archive, 'HEAD');
  execFileSync('tar', ['--extract', '--file', archive, '--directory', sources]);
  expect(packageVersion(sources)).toBe(VERSION);
});
