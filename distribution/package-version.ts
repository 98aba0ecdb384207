import { existsSync } from 'node:fs';
import path from 'node:path';
import { manifestIn, ROOT, run } from './checkout.ts';

const HASH_CHARS = 10;

/**
 * The version that packages of this checkout bear. Only the commit of a release has its version: any other one that is not marked as development by itself
 * gets `-dev` and its hash. The sources in a tarball have no history to tell.
 */
export function packageVersion(): string {
  const { version } = manifestIn('.');
  if (version.includes('-dev') || !existsSync(path.join(ROOT, '.git'))) return version;
  // The checkout can belong to another account: git only reads here.
  const git = (...args: string[]) => run('git', ['-c', 'safe.directory=*', ...args], ROOT).trim();
  if (git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`)) return version;
  // As in `git describe`, g stands before the hash: a version must not end with a number that begins with 0.
  return `${version}-dev.g${git('rev-parse', `--short=${HASH_CHARS}`, 'HEAD')}`;
}
