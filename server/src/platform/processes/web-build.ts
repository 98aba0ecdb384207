import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { isRecord } from '../../contract/records.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const BUILDS = path.join(ROOT, 'web/dist');
/** The sources of the pages. An installed package has only the built pages. */
const SOURCES = [
  'web/*.html',
  'web/*.ts',
  'web/src/**/*.*',
  'server/src/contract/*.ts',
  'packages/client/src/*.ts',
  'packages/documents/src/**/*.ts',
  'packages/proof/src/*.ts',
  'package-lock.json',
];

/**
 * Returns the folder with the pages, built from the present sources. Each build has its own folder, which is moved into place when
 * complete, so that processes that start at once, or serve an older build, do not interfere.
 */
export async function builtPages(tell: (sentence: string) => void): Promise<string> {
  const name = fingerprint();
  if (name === undefined) return onlyBuild();
  const folder = path.join(BUILDS, name);
  if (existsSync(folder)) return folder;
  tell('Building the pages, once.');
  const unfinished = await build().catch((error: Error) => {
    throw new Error(`The pages could not be built: ${error.message}`);
  });
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  // Processes that serve an older build have it in memory.
  for (const other of builds()) if (other !== name) rmSync(path.join(BUILDS, other), { recursive: true, force: true });
  return folder;
}

async function build(): Promise<string> {
  mkdirSync(BUILDS, { recursive: true });
  const unfinished = mkdtempSync(path.join(BUILDS, '.unfinished-'));
  try {
    // A separate process, because the build takes much memory.
    await promisify(execFile)(process.execPath, [path.join(ROOT, 'web/build.ts'), unfinished], { cwd: ROOT });
    // The service may run under another account than the build.
    chmodSync(unfinished, 0o755);
    return unfinished;
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    const said = isRecord(error) ? error['stderr'] : undefined;
    if (typeof said === 'string' && said.includes('ERR_MODULE_NOT_FOUND'))
      throw new Error('development packages are missing. Run `npm ci`, or bring web/dist along from where they are.');
    throw error;
  }
}

function fingerprint(): string | undefined {
  if (!existsSync(path.join(ROOT, 'web/index.html'))) return undefined;
  const files = globSync(SOURCES, { cwd: ROOT }).sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(path.join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
}

function onlyBuild(): string {
  const [name] = existsSync(BUILDS) ? builds() : [];
  if (name === undefined) throw new Error('Neither the pages (web/dist) nor what they are built from (web/) is there.');
  return path.join(BUILDS, name);
}

const builds = (): string[] => readdirSync(BUILDS).filter((name) => !name.startsWith('.'));
