import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { currentFiles } from '../python/generate.ts';
import { pythonWith } from './python-environment.ts';

const FOLDER = path.resolve(import.meta.dirname, '../python');
const LONGEST_MS = 240_000;

function run(program: string, ...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: FOLDER, timeout: LONGEST_MS }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, output: stdout + stderr });
    });
  });
}

test('what is generated for Python is up to date', () => {
  for (const [file, text] of currentFiles()) expect(readFileSync(file, 'utf8'), 'run npm run python-types').toBe(text);
});

test('the Python client passes its own tests and mypy', async ({ skip }) => {
  const python = await pythonWith(path.join(FOLDER, 'pyproject.toml'));
  if (typeof python !== 'string') {
    console.warn(`The tests of the Python client were NOT run: ${python.missing}`);
    return skip();
  }
  const [mypy, pytest] = await Promise.all([run(python, '-m', 'mypy'), run(python, '-m', 'pytest', '-x')]);
  expect(mypy.code, mypy.output).toBe(0);
  expect(pytest.code, pytest.output).toBe(0);
  expect(pytest.output).toMatch(/\b\d+ passed\b/);
});
