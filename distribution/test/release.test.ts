import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
  expect(git('cat-file', '-t', `v${VERSION}`).trim()).toBe('tag');
  const message = git('tag', '--list', '--format=%(contents)', `v${VERSION}`);
  expect(message).toContain(`Waybill ${VERSION}`);
  expect(message.match(/^### .*$/gm)).toEqual(['### Added', '### Changed', '### Fixed', '### Security']);
  expect(git('rev-parse', `v${VERSION}^{commit}`)).toBe(git('rev-parse', 'HEAD'));
  // A second time, there is nothing to do.
  const again = release();
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining(`The tag v${VERSION} exists.`)]);
});
