import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { pathOfSend } from '../../path/run.ts';
import { CHECKOUT } from '../support/process.ts';

const DOCUMENT = path.join(CHECKOUT, 'docs/follow-a-message.md');
/** Contract and platform are left out: the page names them where needed. */
const IS_LED_THROUGH = /^server\/src\/(app\.ts|http\/|modules\/)/;
const FILES_MAX = 25;

const links = [...readFileSync(DOCUMENT, 'utf8').matchAll(/\[`([\w.]+)`\]\(([^)]+)\)/g)].map(([, name = '', target = '']) => ({
  name,
  file: path.relative(CHECKOUT, path.resolve(path.dirname(DOCUMENT), target)),
}));

test('each link leads to a file that has what the link names', () => {
  expect(links.length).toBeGreaterThan(20);
  for (const { name, file } of links) {
    expect(existsSync(path.join(CHECKOUT, file)), file).toBe(true);
    expect(readFileSync(path.join(CHECKOUT, file), 'utf8'), `${file}: ${name}`).toMatch(new RegExp(`\\b${name.split('.').at(-1)}\\b`));
  }
});

test('a send runs through the files that the page leads through, and through no more than 25', async () => {
  const { files, sqlFunctions } = await pathOfSend();
  const run = files.map(({ file }) => file).filter((file) => IS_LED_THROUGH.test(file));
  expect(run).toContain('server/src/modules/messages/send-message.ts');
  expect(run.length).toBeLessThanOrEqual(FILES_MAX);
  const linked = new Set(links.map(({ file }) => file));
  expect(run.filter((file) => !linked.has(file))).toEqual([]);
  const sqlLinked = links.filter(({ file }) => file.endsWith('.sql')).map(({ name }) => name);
  expect(sqlLinked.filter((name) => !sqlFunctions.includes(name))).toEqual([]);
});
