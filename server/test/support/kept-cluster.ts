import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { noteFolder } from './run-folders.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const KEPT = path.join(ROOT, 'node_modules/.cache/clusters');
const UNUSED_MAX_MS = 86_400_000;
/** Everything that decides what a cluster with the migrated template contains. */
const SOURCES = [
  'package-lock.json',
  'server/migrations',
  'server/sql',
  'server/src/platform/migrations',
  'server/src/platform/postgres',
  'server/src/platform/shards',
  'server/test/support',
];

/** Fills the folder with a cluster that `create` has made in this run or an earlier one: creating and migrating it takes over a second. */
export async function copyKeptCluster(folder: string, kind: string, create: (folder: string) => Promise<void>): Promise<void> {
  const kept = path.join(KEPT, `${digestOf(SOURCES)}-${kind}`);
  if (!existsSync(kept)) {
    mkdirSync(KEPT, { recursive: true });
    removeUnused();
    const aside = mkdtempSync(`${kept}-`);
    noteFolder(aside);
    await create(aside);
    // Another run may have been first.
    if (!existsSync(kept)) renameSync(aside, kept);
    rmSync(aside, { recursive: true, force: true });
  }
  execFileSync('cp', ['-a', `${kept}/.`, folder]);
}

function digestOf(sources: readonly string[]): string {
  const hash = createHash('sha256');
  for (const source of sources.map((name) => path.join(ROOT, name)))
    for (const file of statSync(source).isFile() ? [source] : filesIn(source)) hash.update(file).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

function removeUnused(): void {
  for (const entry of readdirSync(KEPT).map((name) => path.join(KEPT, name)))
    if (Date.now() - statSync(entry).mtimeMs > UNUSED_MAX_MS) rmSync(entry, { recursive: true, force: true });
}
