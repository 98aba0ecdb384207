import { execFile } from 'node:child_process';
import path from 'node:path';

const FOLDER = path.resolve(import.meta.dirname, '../../interop');
const LONGEST_MS = 300_000;

interface Ended {
  isFine: boolean;
  stdout: string;
  stderr: string;
}

/** Runs go in the folder of the program. */
export function runGo(args: string[], input = ''): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile('go', args, { cwd: FOLDER, timeout: LONGEST_MS, maxBuffer: 64 * 1_048_576 }, (error, stdout, stderr) =>
      resolve({ isFine: error === null, stdout, stderr }),
    );
    child.stdin?.on('error', () => {}).end(input);
  });
}

/** Says why the program can't be built. Undefined: it can. */
export async function missingGo(): Promise<string | undefined> {
  if (process.env['WAYBILL_TEST_INSTALL'] === 'no') return 'WAYBILL_TEST_INSTALL is "no".';
  if (!(await runGo(['version'])).isFine) return 'there is no go.';
  return (await runGo(['mod', 'download'])).isFine ? undefined : 'go could not fetch the modules, or is older than they need.';
}
