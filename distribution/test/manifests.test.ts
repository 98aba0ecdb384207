import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { manifestIn, ROOT } from '../checkout.ts';

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const settings = new Set([...read('.env.example').matchAll(/^# ([A-Z0-9_]+)=/gm)].map(([, name]) => name));
const compose = read('distribution/compose.yaml');
/** The lines from the service waybill to the next service. */
const waybill = compose.slice(compose.indexOf('\n  waybill:\n'), compose.indexOf('\n  postgres:\n'));

test.each([
  ['compose.yaml', waybill],
  ['kubernetes/settings.yaml', read('distribution/kubernetes/settings.yaml')],
])('%s sets nothing but settings of the service', (_, text) => {
  const names = [...text.matchAll(/^ +([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(1);
  expect(names.filter((name) => !settings.has(name))).toEqual([]);
});

test('the image has the version of the package everywhere', () => {
  const { version } = manifestIn('.');
  const texts = ['distribution/compose.yaml', 'distribution/kubernetes/kustomization.yaml', 'docs/guides/install.md'].map(read);
  for (const text of texts) {
    const versions = [...text.matchAll(/waybill(?:-client)?[:-](\d+\.\d+\.\d+(?:-\w+)?)|newTag: (\S+)/g)].map(
      ([, image, tag]) => image ?? tag,
    );
    expect(versions.length).toBeGreaterThan(0);
    expect(new Set(versions)).toEqual(new Set([version]));
  }
});

test('every container is told to run without root, on a read-only root file system', () => {
  expect(waybill).toContain('read_only: true');
  expect(read('distribution/Dockerfile')).toMatch(/^USER 10001:10001$/m);
  const deployments = globSync('distribution/kubernetes/*.yaml', { cwd: ROOT })
    .map(read)
    .filter((text) => text.includes('kind: Deployment'));
  expect(deployments).toHaveLength(2);
  for (const text of deployments) {
    for (const line of ['runAsNonRoot: true', 'runAsUser: 10001', 'readOnlyRootFilesystem: true', 'allowPrivilegeEscalation: false'])
      expect(text).toContain(line);
  }
});

const [, unit = ''] = /```ini\n(# \S+waybill\.service\n[\s\S]*?)```/.exec(read('docs/guides/install.md')) ?? [];

test('the unit of the guide allows as many open files and sockets as the documentation counts on', () => {
  const [, limit = ''] = /of ([\d,]+) \(`LimitNOFILE` in a systemd unit\)/.exec(read('docs/operations.md')) ?? [];
  expect(unit).toMatch(new RegExp(`^LimitNOFILE=${Number(limit.replaceAll(',', ''))}$`, 'm'));
});

test('the unit of the guide is one that systemd accepts', ({ skip }) => {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) {
    console.warn('The unit for systemd was NOT checked: there is no systemd-analyze.');
    return skip();
  }
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'waybill-unit-')), 'waybill.service');
  writeFileSync(file, unit.replace('/usr/local/bin/waybill', process.execPath));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});
