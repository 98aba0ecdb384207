import { copyFileSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Manifest, manifestIn, ROOT, run } from './checkout.ts';

export interface LockedPackage {
  /** The path, such as node_modules/pg. */
  location: string;
  name: string;
  version: string;
  license?: string;
}

/** Writes package.json and a lock file with the versions of the checkout, without packages that the manifest does not need. */
export function writeLock(manifest: Manifest, folder: string): void {
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  copyFileSync(path.join(ROOT, 'package-lock.json'), path.join(folder, 'package-lock.json'));
  run(
    'npm',
    ['install', '--package-lock-only', '--ignore-scripts', '--omit-lockfile-registry-resolved', '--no-audit', '--no-fund'],
    folder,
  );
}

export function lockedPackages(folder: string): LockedPackage[] {
  const { packages }: { packages: Record<string, { version: string; license?: string }> } = JSON.parse(
    readFileSync(path.join(folder, 'package-lock.json'), 'utf8'),
  );
  return Object.entries(packages)
    .filter(([location]) => location !== '')
    .map(([location, entry]) => ({ ...entry, location, name: location.slice(location.lastIndexOf('node_modules/') + 13) }))
    .sort((a, b) => (a.location < b.location ? -1 : 1));
}

/** The development packages that the sources of the pages import. Vite puts them into the pages. */
export function pagePackages(): Record<string, string> {
  const sources = globSync('web/src/**/*.{ts,tsx,css}', { cwd: ROOT }).map((file) => readFileSync(path.join(ROOT, file), 'utf8'));
  const imports = new Set(sources.flatMap((text) => [...text.matchAll(IMPORTED)].map(([, inImport, inUrl]) => inImport ?? inUrl)));
  return Object.fromEntries(Object.entries(manifestIn('.').devDependencies ?? {}).filter(([name]) => imports.has(name)));
}

/** The name of a package in an import, or in the address of a font. */
const IMPORTED = /(?:\bfrom|\bimport|\bimport\()\s*['"]((?:@[\w-]+\/)?[\w][\w.-]*)|node_modules\/((?:@[\w-]+\/)?[\w.-]+)\//g;
