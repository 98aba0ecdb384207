import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { documentTypesDocument, FILE } from '../../document-types-document.ts';

test('docs/document-types.md has every type as the catalogue has it', () => {
  expect(readFileSync(FILE, 'utf8'), 'docs/document-types.md is old: npm run document-types').toBe(documentTypesDocument());
});
