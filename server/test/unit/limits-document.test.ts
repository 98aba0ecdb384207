import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FILE, limitsDocument } from '../../limits-document.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');

test('docs/limits.md lists every limit as the code has it', () => {
  expect(readFileSync(FILE, 'utf8'), 'docs/limits.md is old: npm run limits').toBe(limitsDocument());
});

test('each setting that docs/limits.md names is one that the service reads, and .env.example describes', () => {
  const settings = [...limitsDocument().matchAll(/\| `([A-Z_0-9]+)` \|$/gm)].map(([, name]) => name as string);
  expect(settings.length).toBeGreaterThan(10);
  const config = readFileSync(path.join(ROOT, 'server/src/config.ts'), 'utf8');
  const example = readFileSync(path.join(ROOT, '.env.example'), 'utf8');
  for (const name of settings) {
    expect(config, name).toContain(`'${name}'`);
    expect(example, name).toMatch(new RegExp(`^# ?${name}=`, 'm'));
  }
});
