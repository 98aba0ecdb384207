import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

const CACHE = path.resolve(import.meta.dirname, '../../node_modules/.cache/python');
const INSTALL_MS = 120_000;

function isFine(program: string, ...args: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: INSTALL_MS }, (error) => resolve(error === null));
  });
}

/**
 * Returns a Python that can import the client in place and has the packages of its tests: a virtual environment, which is created once and
 * kept for the next run. Or says why there is none.
 */
export async function pythonWith(project: string): Promise<string | { missing: string }> {
  if (process.env['WAYBILL_TEST_INSTALL'] === 'no') return { missing: 'WAYBILL_TEST_INSTALL is "no".' };
  if (!(await isFine('python3', '-c', 'import sys, venv; sys.exit(sys.version_info < (3, 10))')))
    return { missing: 'there is no python3 of version 3.10 or later, with venv.' };
  const folder = path.dirname(project);
  const name = createHash('sha256').update(readFileSync(project)).update(folder).digest('hex').slice(0, 16);
  const environment = path.join(CACHE, name);
  const python = path.join(environment, 'bin/python');
  if (existsSync(path.join(environment, 'complete'))) return python;
  mkdirSync(CACHE, { recursive: true });
  rmSync(environment, { recursive: true, force: true });
  const isInstalled =
    (await isFine('python3', '-m', 'venv', environment)) && (await isFine(python, '-m', 'pip', 'install', '-q', '-e', `${folder}[test]`));
  if (!isInstalled) {
    rmSync(environment, { recursive: true, force: true });
    return { missing: 'pip could not install httpx, pytest, mypy and cryptography.' };
  }
  mkdirSync(path.join(environment, 'complete'));
  return python;
}
