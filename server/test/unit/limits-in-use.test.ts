import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FILE } from '../../limits-document.ts';
import { readConfig } from '../../src/config.ts';
import { withLimitsInUse } from '../../src/modules/documentation/limits-in-use.ts';

const markdown = readFileSync(FILE, 'utf8');
const named = [...markdown.matchAll(/ \| ([^|\n]+) \| `(\w+)` \|$/gm)].map(([, value = '', name = '']) => ({ name, value }));

test('with default settings, the document is as it stands', () => {
  const shown = withLimitsInUse('limits.md', markdown, readConfig({}));
  expect(shown).toBe(markdown.replace('the value is the default.', 'the value is that of this service.'));
  expect(shown).not.toBe(markdown);
});

test.each(named)('$name is shown as it is set', ({ name, value }) => {
  const shown = withLimitsInUse('limits.md', markdown, readConfig({ [name]: name === 'WEBHOOK_RETRY_DELAYS_S' ? '60,300' : '77' }));
  const row = shown.split('\n').find((line) => line.endsWith(`| \`${name}\` |`));
  expect(row).toMatch(/\| \*\*(77|77 \S+( \S+)?|1.28 minutes|2)\*\* \(default: /);
  expect(row).toContain(`(default: ${value})`);
});

test('no other document is changed', () => {
  expect(withLimitsInUse('errors.md', markdown, readConfig({ RATE_LIMIT_PER_MINUTE: '77' }))).toBe(markdown);
});
