import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Manifest, ROOT, run } from './checkout.ts';

/**
 * `npm run release`: checks that this commit is a release, packs it, and creates its annotated tag. It asks nothing, and pushes nothing.
 */
const FOLDERS = ['.', ...globSync('packages/*/package.json', { cwd: ROOT }).map(path.dirname)].sort();
const EXACT = /^\d+\.\d+\.\d+([-+].+)?$/;

interface LockFile {
  packages: Record<string, { version?: string; optionalDependencies?: Record<string, string> }>;
}

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const git = (...args: string[]) => run('git', args, ROOT).trim();
const manifests = new Map<string, Manifest>(FOLDERS.map((folder) => [folder, JSON.parse(read(path.join(folder, 'package.json')))]));
const { version } = manifests.get('.') as Manifest;
const [, heading = '', section = ''] = /^## (.*)\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(read('CHANGELOG.md')) ?? [];

function problemsOfCheckout(): string[] {
  return [
    ...(git('status', '--porcelain') === '' ? [] : ['Changes are not committed.']),
    ...(git('tag', '--list', `v${version}`) === '' ? [] : [`The tag v${version} exists.`]),
  ];
}

function problemsOfVersion(): string[] {
  const others = [...manifests].filter(([, manifest]) => manifest.version !== version).map(([folder]) => `${folder}/package.json`);
  const python = /^VERSION = "(.*)"$/m.exec(read('clients/python/src/waybill/steps.py'))?.[1];
  if (python !== version) others.push('clients/python/src/waybill/steps.py');
  for (const file of ['distribution/compose.yaml', 'distribution/kubernetes/kustomization.yaml'])
    if (!new RegExp(`(waybill:|newTag: )${RegExp.escape(version)}$`, 'm').test(read(file))) others.push(file);
  return [
    ...(/^\d+\.\d+\.\d+$/.test(version) ? [] : [`${version} is not the version of a release.`]),
    ...others.map((file) => `${file} has another version than ${version}.`),
  ];
}

function problemsOfChangelog(): string[] {
  const [, named, date = ''] = /^(\S+) \((\d{4}-\d{2}-\d{2})\)$/.exec(heading) ?? [];
  const isReal = !Number.isNaN(Date.parse(date));
  return named === version && isReal ? [] : [`CHANGELOG.md begins with "${heading}" and not with "${version} (<date>)".`];
}

function problemsOfLockFile(): string[] {
  const { packages }: LockFile = JSON.parse(read('package-lock.json'));
  const loose = [...manifests].flatMap(([folder, { dependencies, optionalDependencies, devDependencies }]) =>
    Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies })
      .filter(([, range]) => !EXACT.test(range))
      .map(([name, range]) => `${folder}/package.json has ${name} ${range}, which is not exact.`),
  );
  const stale = FOLDERS.filter((folder) => packages[folder === '.' ? '' : folder]?.version !== version);
  // Programs for other processors are optional packages. A lock file that was written on one kind of processor may lack the others.
  const missing = Object.values(packages)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter((name) => !Object.keys(packages).some((place) => place.endsWith(`node_modules/${name}`)));
  return [
    ...loose,
    ...stale.map((folder) => `package-lock.json has another version of ${folder}.`),
    ...[...new Set(missing)].map((name) => `package-lock.json has no ${name}.`),
  ];
}

const problems = [...problemsOfCheckout(), ...problemsOfVersion(), ...problemsOfChangelog(), ...problemsOfLockFile()];
if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  process.exitCode = 1;
} else {
  console.log(run(process.execPath, [path.join(import.meta.dirname, 'pack.ts'), '--release'], ROOT).trim());
  git('tag', '--annotate', '--cleanup=whitespace', `v${version}`, '--message', `Waybill ${version}\n\n${section.trim()}`);
  console.log(`Tagged v${version}. Push it with: git push origin v${version}`);
}
