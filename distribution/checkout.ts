import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '..');

export type Exports = string | { [condition: string]: Exports };

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

/** Returns the output of the program, which is also shown if the program fails. */
export function run(program: string, args: string[], cwd: string): string {
  try {
    return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64_000_000 });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  }
}

/** Compiles with the given settings file in distribution/, which also checks the types. */
export function compile(settings: string, into: string): void {
  const compiler = path.join(ROOT, 'node_modules/.bin/tsc');
  run(compiler, ['--project', path.join(ROOT, 'distribution', settings), '--outDir', into], ROOT);
}

export function compiled(file: string): string {
  return file.replace(/\.ts$/, '.js');
}
