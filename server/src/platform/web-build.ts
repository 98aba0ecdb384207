import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { isRecord } from '../contract/records.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const BUILDS = path.join(ROOT, 'web/dist');
/** What the pages are made from. Whoever deploys them built can leave the rest of web/ out. */
const SOURCES = ['web/index.html', 'web/*.ts', 'web/src/**/*.*', 'server/src/contract/*.ts', 'package-lock.json'];

/**
 * The folder of the pages as built from what is there now. Each build has a folder of its own, moved into place whole, so
 * that processes that start at once, or run from an older build, don't meet.
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
    // Another process was faster.
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  // Whoever serves an older build has it in memory.
  for (const other of builds()) if (other !== name) rmSync(path.join(BUILDS, other), { recursive: true, force: true });
  return folder;
}

async function build(): Promise<string> {
  mkdirSync(BUILDS, { recursive: true });
  const unfinished = mkdtempSync(path.join(BUILDS, '.unfinished-'));
  try {
    // A process of its own, for the memory it takes.
    await promisify(execFile)(process.execPath, [path.join(ROOT, 'web/build.ts'), unfinished], { cwd: ROOT });
    // Whoever runs the service may have another account than who built it.
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

/** Undefined where only what was built is there. */
function fingerprint(): string | undefined {
  const files = globSync(SOURCES, { cwd: ROOT }).sort();
  if (!files.includes('web/index.html')) return undefined;
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(path.join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
}

function onlyBuild(): string {
  const [name] = existsSync(BUILDS) ? builds() : [];
  if (name === undefined) throw new Error('Neither the pages (web/dist) nor what they are built from (web/) is there.');
  return path.join(BUILDS, name);
}

/** Those that are whole. */
const builds = (): string[] => readdirSync(BUILDS).filter((name) => !name.startsWith('.'));
