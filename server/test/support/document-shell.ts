import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const CHECKOUT = path.resolve(import.meta.dirname, '../../..');
const TIMEOUT_MS = 120_000;

/** The commands of a document: its blocks in `sh`. */
export function commandsOf(file: string): string[] {
  return [...readFileSync(path.join(CHECKOUT, file), 'utf8').matchAll(/```sh(?: tab=\w+)?\n([\s\S]*?)```/g)].map(([, block = '']) => block);
}

export interface Ran {
  output: string;
  /** Commands of curl that the service refused. */
  refused: string[];
}

/**
 * Runs commands as a reader does: in one shell, one after the other, in a folder in which the examples and packages of the checkout are.
 * The operator's command is started directly, because npm takes longer than the command itself.
 */
export async function runCommands(commands: string[], env: Record<string, string>): Promise<Ran> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-commands-'));
  for (const name of ['examples', 'node_modules']) symlinkSync(path.join(CHECKOUT, name), path.join(folder, name));
  const operator = `node ${path.join(CHECKOUT, 'packages/cli/src/main.ts')}`;
  const script = [
    `curl() { command curl --max-time 30 --fail-with-body "$@" || echo "$*" >> refused; echo; }`,
    "trap 'kill $(jobs -p) 2> /dev/null; wait' EXIT",
    ...commands.map((block) => block.replaceAll('npm run --silent waybill --', operator)),
  ].join('\n');
  try {
    const output = await new Promise<string>((resolve, reject) => {
      const all = { PATH: process.env['PATH'] ?? '', HOME: folder, ...env };
      execFile('bash', ['-c', script], { env: all, cwd: folder, timeout: TIMEOUT_MS, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
        if (error) reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
        else resolve(stdout);
      });
    });
    const list = path.join(folder, 'refused');
    return { output, refused: existsSync(list) ? readFileSync(list, 'utf8').trim().split('\n') : [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
