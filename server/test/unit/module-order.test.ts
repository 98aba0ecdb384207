import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const MODULES = path.join(ROOT, 'server/src/modules');
const PICTURE = /Modules have an order[^`]+```\n([^`]+)```/;
const IMPORTED = /from '\.\.\/([a-z-]+)\/[^']+'/g;

const rows = (PICTURE.exec(readFileSync(path.join(ROOT, 'ARCHITECTURE.md'), 'utf8'))?.[1] ?? '').trim().split('\n');
const rowOf = new Map(rows.flatMap((row, i) => row.split(/\s+/).map((name) => [name, i] as const)));

test('the picture has every module', () => {
  expect([...rowOf.keys()].sort()).toEqual(readdirSync(MODULES).sort());
});

test('a module imports only from the rows below its own', () => {
  const upward = globSync(`${MODULES}/*/*.ts`).flatMap((file) => {
    const [from = ''] = path.relative(MODULES, file).split(path.sep);
    const imported = [...readFileSync(file, 'utf8').matchAll(IMPORTED)].map(([, name = '']) => name);
    return imported.filter((name) => (rowOf.get(name) ?? -1) <= (rowOf.get(from) ?? -1)).map((name) => `${from} → ${name}`);
  });
  expect(upward).toEqual([]);
});
