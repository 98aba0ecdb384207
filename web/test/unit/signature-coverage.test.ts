import { expect, test } from 'vitest';
import { coverageText } from '../../src/parts/signature-coverage.ts';

test('a signature that leaves something open says so', () => {
  expect(coverageText(['service', 'recipient', 'content'], false)).toBe('Signed by the sender');
  expect(coverageText(['service', 'recipient', 'files', 'content'], true)).toBe('Signed by the sender');
  expect(coverageText(['service', 'recipient', 'content'], true)).toBe('Signed by the sender, files not covered,');
  expect(coverageText(['content'], false)).toBe('Signed by the sender, service and recipient not covered,');
});
