import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '..');

export type Exports = string | { [condition: string]: Exports };

/** What the packed packages take over from package.json. */
export interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  private?: boolean;
  type: string;
  bin?: Record<string, string>;
  exports?: Exports;
  engines: Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  [field: string]: unknown;
}

export function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8'));
}

/** Returns what the program prints. It is shown if the program fails. */
export function run(program: string, args: string[], cwd: string): string {
  try {
    return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64_000_000 });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  }
}

/** Compiles by the given file of settings in distribution/, and checks the types meanwhile. */
export function compile(settings: string, into: string): void {
  const compiler = path.join(ROOT, 'node_modules/.bin/tsc');
  run(compiler, ['--project', path.join(ROOT, 'distribution', settings), '--outDir', into], ROOT);
}

/** The path of a compiled file. */
export function compiled(file: string): string {
  return file.replace(/\.ts$/, '.js');
}
