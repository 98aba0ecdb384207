import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const CHECKOUT = path.resolve(import.meta.dirname, '../../..');
const TIMEOUT_MS = 120_000;

/** The tools with which a reader can follow a document. Blocks without a tab are for all readers of their language. */
export type Reader = 'curl' | 'CLI' | 'TypeScript' | 'Python';
const LANGUAGES: Record<Reader, string> = { curl: 'sh', CLI: 'sh', TypeScript: 'ts', Python: 'python' };
export const READERS = Object.keys(LANGUAGES) as Reader[];

interface Block {
  language: string;
  tab: string | undefined;
  code: string;
}

function blocksOf(file: string): Block[] {
  const fences = readFileSync(path.join(CHECKOUT, file), 'utf8').matchAll(/^```(\w+)(?: tab=(\S+))?\n([\s\S]*?)^```/gm);
  return [...fences].map(([, language = '', tab, code = '']) => ({ language, tab, code }));
}

/** The blocks of a document that a reader uses. A reader with the command skips those for curl alone. */
export function samplesFor(reader: Reader, file: string): string[] {
  return blocksOf(file)
    .filter(({ language, tab }) => language === LANGUAGES[reader] && (tab === reader || (tab === undefined && reader !== 'CLI')))
    .map(({ code }) => code);
}

export interface Ran {
  output: string;
  /** Commands of curl that the service refused. */
  refused: string[];
}

const COMMAND = `node ${path.join(CHECKOUT, 'packages/cli/src/main.ts')}`;

/** Joins the samples of a document into one script or program. */
function scriptOf(reader: Reader, samples: string, { URL: url = '' }: Record<string, string>, folder: string): string {
  if (reader === 'curl' || reader === 'CLI') return samples.replaceAll('npm run --silent waybill --', COMMAND);
  const file = path.join(folder, reader === 'TypeScript' ? 'program.ts' : 'program.py');
  writeFileSync(file, samples.replaceAll('$URL', url));
  return reader === 'TypeScript' ? `node ${file}` : `"$PYTHON" -Bu ${file}`;
}

/**
 * Runs samples like a reader: one after another, in a folder with the examples and packages of the checkout. The command is started
 * directly, because npm takes longer than the command itself.
 */
export async function runSamples(reader: Reader, samples: string, env: Record<string, string>, prepare = ''): Promise<Ran> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-commands-'));
  for (const name of ['examples', 'node_modules', 'server']) symlinkSync(path.join(CHECKOUT, name), path.join(folder, name));
  const script = [
    `curl() { command curl --max-time 30 --fail-with-body "$@" || echo "$*" >> refused; echo; }`,
    `waybill() { ${COMMAND} "$@"; }`,
    "trap 'kill $(jobs -p) 2> /dev/null || true; wait' EXIT",
    ...(reader === 'CLI'
      ? ['set -e', 'waybill login --profile theirs --url $URL --key $THEIR_KEY', 'waybill login --url $URL --key $KEY']
      : []),
    prepare,
    scriptOf(reader, samples, env, folder),
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
